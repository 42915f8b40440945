#include "runtime/symbols.h"

#include "plan/check_abi.h"

namespace bsgp::runtime {

std::span<const Symbol> symbols() {
#define SYMBOL(name)                                                                                                   \
  Symbol {                                                                                                             \
    #name, reinterpret_cast<void*>(&name)                                                                              \
  }
  static const Symbol all[] = {
      SYMBOL(bsgp_rt_run),
      SYMBOL(bsgp_rt_dnew),
      SYMBOL(bsgp_rt_dtempnew),
      SYMBOL(bsgp_rt_dfree),
      SYMBOL(bsgp_rt_new),
      SYMBOL(bsgp_rt_delete),
      SYMBOL(bsgp_rt_copy),
      SYMBOL(bsgp_rt_dlist_resize),
      SYMBOL(bsgp_rt_dlist_reserve),
      SYMBOL(bsgp_rt_dlist_free),
      SYMBOL(bsgp_rt_fail),
      SYMBOL(bsgp_rt_fail_saying),
      SYMBOL(bsgp_rt_failed_in_library),
      SYMBOL(bsgp_rt_scope_open),
      SYMBOL(bsgp_rt_scope_close),
      SYMBOL(bsgp_rt_enter),
      SYMBOL(bsgp_rt_leave),
      SYMBOL(bsgp_rt_print),
      SYMBOL(bsgp_rt_begin),
      SYMBOL(bsgp_rt_end),
      SYMBOL(bsgp_rt_main),
      SYMBOL(bsgp_rt_device_fail),
      SYMBOL(bsgp_rt_worker_count),
      SYMBOL(bsgp_rt_call_on_gpu),
      SYMBOL(bsgp_rt_context_on_gpu),
      SYMBOL(bsgp_rt_dlist_assign),
      SYMBOL(bsgp_rt_dlist_append),
      SYMBOL(bsgp_rt_dlist_read),
      SYMBOL(bsgp_rt_dlist_write),
      SYMBOL(bsgp_rt_peek),
      SYMBOL(bsgp_rt_poke),
      SYMBOL(bsgp_rt_check_access),
      SYMBOL(bsgp_rt_check_reached),
      SYMBOL(bsgp_rt_check_calls),
      SYMBOL(bsgp_rt_check_library_memory),
      SYMBOL(bsgp_rt_check_memory),
      SYMBOL(bsgp_rt_check_rows),
      SYMBOL(bsgp_rt_check_lanes),
      SYMBOL(bsgp_rt_check_all_synced),
      SYMBOL(bsgp_rt_check_written),
      SYMBOL(bsgp_rt_check_written_memory),
      SYMBOL(bsgp_rt_check_value),
      SYMBOL(bsgp_rt_check_is_written),
      SYMBOL(bsgp_rt_check_set_written),
      SYMBOL(bsgp_rt_check_block_sync),
      SYMBOL(bsgp_rt_check_warp_sync),
      SYMBOL(bsgp_rt_check_fence),
      SYMBOL(bsgp_rt_check_put),
      SYMBOL(bsgp_rt_check_host_access),
      SYMBOL(bsgp_rt_check_host_value),
      SYMBOL(bsgp_rt_check_host_is_written),
      SYMBOL(bsgp_rt_check_host_set_written),
      SYMBOL(bsgp_rt_check_host_variable),
      SYMBOL(bsgp_rt_check_host_moved),
  };
#undef SYMBOL
  return all;
}

} // namespace bsgp::runtime
