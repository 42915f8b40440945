// The exported functions of a program in the structs of bsgp.h, which stay where they are as long as the program.
#pragma once

#include <mutex>
#include <vector>

#include "bsgp/bsgp.h"
#include "compile/interface.h"
#include "support/result.h"
#include "target/cpu/cpu_target.h"

namespace bsgp::capi {

class Exports {
public:
  void set(compile::Interface interface); // once
  uint32_t count() const { return uint32_t(exports_.size()); }

  // The export with its addresses in the code. From any thread.
  Result<const bsgp_export*> at(uint32_t number, target::Jit& code);

private:
  void setTypes();

  compile::Interface interface_; // the texts that the structs point to
  std::vector<bsgp_type> types_;
  std::vector<std::vector<bsgp_field>> fields_;         // of each type
  std::vector<std::vector<bsgp_parameter>> parameters_; // of each export
  std::vector<bsgp_export> exports_;
  std::mutex mutex_; // for the addresses
};

} // namespace bsgp::capi
