// Functions and variables that people bring along from CUDA, C, C++, ISPC and elsewhere, with what to write instead.
#include "parse/foreign_answers.h"
#include "sema/services.h"

namespace bsgp::sema {

namespace {

using namespace answers;

constexpr const char* kRank = "write thread.rank, which counts all threads; block.rank counts within a block";
constexpr const char* kPlace =
    "write thread.x and thread.y in spawn (w, h), thread.rank in spawn (n); block.rank counts "
    "within a block";
constexpr const char* kBlock = "write block.id, block.limit, block.count";
constexpr const char* kWait = "delete it: a spawn waits for its threads";
constexpr const char* kDeviceMemory = "write p = dnew[n]T; and dfree(p);";
constexpr const char* kVector = "write the type: float3(x, y, z)";
constexpr const char* kAtomic = "write atomic_add, atomic_min, atomic_max, atomic_and, atomic_or, atomic_xor, "
                                "atomic_exchange or atomic_cas";
constexpr const char* kExchange = "write atomic_exchange(p, x), which gives what was there";
constexpr const char* kCompare =
    "write atomic_cas(p, expected, desired), which gives what was there: it stored desired if "
    "that is expected";
constexpr const char* kShuffle = "write warp.shuffle, warp.shuffle_up, warp.shuffle_down or warp.shuffle_xor";
constexpr const char* kVote = "write warp.any, warp.all or warp.ballot";
constexpr const char* kScan = "write scan(+, x): x becomes the sum over the threads before, the call gives the total";
constexpr const char* kNull = "write NULL";
constexpr const char* kModule =
    "functions stand alone: write sqrt(x), reduce(+, x), p = dnew[n]T; thread.rank is a thread's number";
constexpr const char* kLoad = "write p[i]";

constexpr ForeignName kForeignNames[] = {
    {"threadIdx", kPlace},
    {"programIndex", kRank},
    {"get_global_id", kRank},
    {"get_local_id", kRank},
    {"thread_rank", kRank},
    {"rank", kRank},
    {"taskIndex", kBlock},
    {"taskCount", kBlock},
    {"get_local_linear_id", kRank},
    {"get_global_linear_id", kRank},
    {"get_local_size", kBlock},
    {"get_num_groups", kBlock},
    {"blockIdx", kBlock},
    {"blockDim", kBlock},
    {"get_group_id", kBlock},
    {"gridDim", "write thread.size for all threads, block.count for blocks"},
    {"get_global_size", "write thread.size"},
    {"programCount", "write thread.size for all threads, block.limit for those of a block"},
    {"warpSize", "write warp.limit"},
    {"__syncthreads", kBlockSync},
    {"syncthreads", kBlockSync},
    {"__syncwarp", "write warp.sync()"},
    {"__threadfence", "write memory_fence()"},
    {"__threadfence_block", "write memory_fence()"},
    {"cudaDeviceSynchronize", kWait},
    {"cudaStreamSynchronize", kWait},
    {"synchronize", kWait},
    {"rand", kRandom},
    {"srand", kRandom},
    {"drand48", kRandom},
    {"curand", kRandom},
    {"curand_init", kRandom},
    {"curand_uniform", kRandom},
    {"curand_normal", kRandom},
    {"malloc", kHostMemory},
    {"calloc", kHostMemory},
    {"realloc", kHostMemory},
    {"alloca", "write T x[n]; with a constant n"},
    {"free", "write delete p for memory of new, dfree(p) for memory of dnew"},
    {"cudaMalloc", kDeviceMemory},
    {"cudaMallocManaged", kDeviceMemory},
    {"cudaMallocAsync", kDeviceMemory},
    {"cudaFree", kDeviceMemory},
    {"memcpy", kCopy},
    {"memmove", kCopy},
    {"cudaMemcpy", kCopy},
    {"cudaMemcpyAsync", kCopy},
    {"cudaMemcpyHostToDevice", kCopy},
    {"cudaMemcpyDeviceToHost", kCopy},
    {"memset", "write a loop, or spawn (n) p[thread.rank] = 0;"},
    {"cudaMemset", "write spawn (n) p[thread.rank] = 0;"},
    {"cout", kPrint},
    {"cerr", kPrint},
    {"endl", kPrint},
    {"stderr", kPrint},
    {"cin", "write readFile(path, size) of #include <host.bsgp>, or declare it: extern int scanf(char* format, ...);"},
    {"None", kNull},
    {"nil", kNull},
    {"null", kNull},
    {"greater", "write the operator alone, as in sort(p, n, >)"},
    {"less", "write the operator alone, as in sort(p, n, <)"},
    {"throw", "write assert(false, \"why\"); to end the program, or return a value that tells of the failure"},
    {"True", "write true"},
    {"False", "write false"},
    {"FLT_MAX", "write highest(1.0f)"},
    {"DBL_MAX", "write highest(1.0)"},
    {"INT_MAX", "write highest(1)"},
    {"INT_MIN", "write lowest(1)"},
    {"UINT_MAX", "write highest(1u)"},
    {"LONG_MAX", "write highest(1L)"},
    {"LONG_MIN", "write lowest(1L)"},
    {"ULONG_MAX", "write highest(1ul)"},
    {"FLT_MIN", "write 0x1p-126f, the smallest normal float; lowest(1.0f) is the most negative one"},
    {"DBL_MIN", "write 0x1p-1022, the smallest normal double; lowest(1.0) is the most negative one"},
    {"FLT_EPSILON", "write 0x1p-23f"},
    {"DBL_EPSILON", "write 0x1p-52"},
    {"HUGE_VAL", "write (double)INFINITY"},
    {"HUGE_VALF", "write INFINITY"},
    {"CUDART_INF_F", "write INFINITY"},
    {"CUDART_NAN_F", "write NAN"},
    {"CUDART_PI_F", "write (float)M_PI"},
    {"M_PIf", "write (float)M_PI"},
    {"M_PI_F", "write (float)M_PI"},
    {"M_1_PI", "write 1 / M_PI"},
    {"M_2_PI", "write 2 / M_PI; M_PI_2 is half of pi"},
    {"M_2_SQRTPI", "write 2 / sqrt(M_PI)"},
    {"M_SQRT1_2", "write 1 / M_SQRT2"},
    {"M_LN10", "write log(10.0)"},
    {"M_LOG2E", "write 1 / M_LN2"},
    {"M_LOG10E", "write 1 / log(10.0)"},
    {"EOF", "write -1"},
    {"RAND_MAX", kRandom},
    {"np", kModule},
    {"numpy", kModule},
    {"cupy", kModule},
    {"torch", kModule},
    {"jnp", kModule},
    {"math", kModule},
    {"Math", kModule},
    {"ti", kModule},
    {"tl", kModule},
    {"wp", kModule},
    {"numba", kModule},
    {"cuda", kModule},
    {"CLK_LOCAL_MEM_FENCE", kBlockSync},
    {"CLK_GLOBAL_MEM_FENCE", kBlockSync},
    {"print", kPrint},
    {"println", kPrint},
    {"puts", "declare it: extern int puts(char* s); or write printf"},
    {"make_float2", kVector},
    {"make_float3", kVector},
    {"make_float4", kVector},
    {"make_int2", kVector},
    {"make_int3", kVector},
    {"make_int4", kVector},
    {"make_uint2", kVector},
    {"make_uint3", kVector},
    {"make_uint4", kVector},
    {"vec2", kVector},
    {"vec3", kVector},
    {"vec4", kVector},
    {"atomicAdd", "write atomic_add(p, x), which gives what was there"},
    {"atomicSub", "write atomic_add(p, -x)"},
    {"atomicMin", "write atomic_min(p, x), which gives what was there"},
    {"atomicMax", "write atomic_max(p, x), which gives what was there"},
    {"atomicAnd", kAtomic},
    {"atomicOr", kAtomic},
    {"atomicXor", kAtomic},
    {"atomicExch", kExchange},
    {"atomicCAS", kCompare},
    {"atomicInc", "write atomic_add(p, 1)"},
    {"atomicDec", "write atomic_add(p, -1)"},
    {"atomic_sub", "write atomic_add(p, -x)"},
    {"atomic_inc", "write atomic_add(p, 1)"},
    {"atomic_dec", "write atomic_add(p, -1)"},
    {"atomic_swap", kExchange},
    {"atomic_xchg", kExchange},
    {"atomic_exch", kExchange},
    {"atomic_compare_exchange", kCompare},
    {"atomic_compare_exchange_weak", kCompare},
    {"atomic_compare_exchange_strong", kCompare},
    {"atomic_compare_swap", kCompare},
    {"atomic_compare_and_swap", kCompare},
    {"atomic_cmpxchg", kCompare},
    {"compare_exchange", kCompare},
    {"compare_exchange_weak", kCompare},
    {"compare_exchange_strong", kCompare},
    {"compare_and_swap", kCompare},
    {"atomic_fetch_add", "write atomic_add(p, x), which gives what was there"},
    {"atomic_fetch_sub", "write atomic_add(p, -x), which gives what was there"},
    {"atomic_fetch_min", kAtomic},
    {"atomic_fetch_max", kAtomic},
    {"atomic_fetch_and", kAtomic},
    {"atomic_fetch_or", kAtomic},
    {"atomic_fetch_xor", kAtomic},
    {"fetch_add", "write atomic_add(p, x), which gives what was there"},
    {"__shfl_sync", kShuffle},
    {"__shfl_up_sync", kShuffle},
    {"__shfl_down_sync", kShuffle},
    {"__shfl_xor_sync", kShuffle},
    {"__ballot_sync", kVote},
    {"__any_sync", kVote},
    {"__all_sync", kVote},
    {"__popc", "write popcount(x)"},
    {"__popcll", "write popcount(x)"},
    {"__ldg", kLoad},
    {"__ldcs", kLoad},
    {"reduce_add", kReduce},
    {"reduce_min", kReduce},
    {"reduce_max", kReduce},
    {"exclusive_scan_add", kScan},
    {"inclusive_scan", "write scan_inclusive(+, x)"},
    {"exclusive_scan", kScan},
    {"prefix_sum", kScan},
    {"scan_exclusive", kScan},
    {"rop_sum", "write rop_add, or + alone: reduce(+, x)"},
    {"rop_plus", "write rop_add, or + alone: reduce(+, x)"},
    {"rop_prod", "write rop_mul, or * alone: reduce(*, x)"},
    {"rop_product", "write rop_mul, or * alone: reduce(*, x)"},
    {"rop_times", "write rop_mul, or * alone: reduce(*, x)"},
    {"rop_any", "write rop_or, or | alone: reduce(|, x)"},
    {"rop_all", "write rop_and, or & alone: reduce(&, x)"},
    {"rop_minimum", "write rop_min"},
    {"rop_maximum", "write rop_max"},
    {"len", "write l.n for the elements of a dlist; a pointer has no length"},
    {"range", "write for (i = 0; i < n; i++)"},
};

} // namespace

const char* foreignNameHelp(std::string_view name) {
  const ForeignName* found = findForeign(kForeignNames, name);
  return found ? found->help : nullptr;
}

const char* foreignMemberHelp(std::string_view name) {
  if (name == "size" || name == "count" || name == "length")
    return "the number of elements of a dlist l is l.n, or l.length as an int";
  if (name == "append" || name == "push" || name == "add" || name == "insert")
    return "write l.push_back(x) in host code; in a spawn compact(l, x, true, LIST_APPEND)";
  if (name == "clear")
    return "write l.resize(0)";
  if (name == "pop_back" || name == "pop")
    return "write l.resize(l.n - 1), in host code";
  if (name == "empty")
    return "write l.n == 0";
  if (name == "begin" || name == "end" || name == "ptr" || name == "get")
    return "the elements of a dlist l are at l.data";
  return nullptr;
}

} // namespace bsgp::sema
