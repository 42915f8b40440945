// Names of functions of other languages that are good names for variables too (sum, time): foreign where they are called. And
// those of which there are so many that a few letters tell them.
#include <algorithm>
#include <cctype>

#include "parse/foreign_answers.h"
#include "sema/checker.h"
#include "sema/foreign_functions.h"

namespace bsgp::sema {

namespace {

using namespace answers;

constexpr const char* kZeros = "write p = dnew[n]T; and fill(p, n, 0);";
constexpr const char* kImage =
    "write p[y, x] of a T[,]; clamp(x, 0, p.width - 1) keeps x inside, mix(a, b, t) goes between";
constexpr const char* kText = "declare it: extern int snprintf(char* to, ulong size, char* format, ...);";
constexpr const char* kInput =
    "write readFile(path, size) of #include <host.bsgp>, or declare it: extern int scanf(char* format, ...);";
constexpr const char* kWarp = "write warp.shuffle, warp.ballot, warp.any, warp.all or block.reduce(+, x)";
constexpr const char* kIntrinsic = "write the function without underscores: exp(x); --fp fast makes it quick";

constexpr ForeignName kForeignFunctions[] = {
    {"sum", kReduce},
    {"total", kReduce},
    {"mean", "write reduce(+, x) / n"},
    {"time", kSeconds},
    {"clock", kSeconds},
    {"clock64", "write seconds() of #include <host.bsgp> around a spawn, or look at --profile"},
    {"zeros", kZeros},
    {"ones", kZeros},
    {"empty", kZeros},
    {"texture", kImage},
    {"tex1D", kImage},
    {"tex2D", kImage},
    {"tex3D", kImage},
    {"tex1Dfetch", kImage},
    {"tex2DLod", kImage},
    {"texture2D", kImage},
    {"texelFetch", kImage},
    {"read_imagef", kImage},
    {"read_imagei", kImage},
    {"read_imageui", kImage},
    {"write_imagef", "write p[y, x] = v; of a T[,]"},
    {"surf2Dread", kImage},
    {"surf2Dwrite", "write p[y, x] = v; of a T[,]"},
    {"scanf", kInput},
    {"getline", kInput},
    {"fgets", kInput},
    {"sprintf", kText},
    {"snprintf", kText},
    {"fprintf", kPrint},
    {"putchar", "declare it: extern int putchar(int c);"},
    {"qsort", kSort},
    {"parallel_for", "write spawn (n) {...}"},
    {"for_each", kEach},
    {"transform", kTransform},
    {"accumulate", kReduceArray},
    {"mem_fence", "write memory_fence()"},
    {"work_group_barrier", kBlockSync},
    {"this_thread_block", "write block.sync(), block.rank, block.limit"},
    {"this_grid", "write barrier; for all threads of the spawn"},
    {"__activemask", "write warp.ballot(true)"},
    {"__clz", "write clz(x)"},
    {"__clzll", "write clz(x)"},
    {"__ffs", "write x == 0 ? 0 : ctz(x) + 1"},
    {"__saturatef", "write saturate(x)"},
    {"__fmaf_rn", "write fma(a, b, c)"},
    {"__float_as_int", "write float_as_int(x)"},
    {"__int_as_float", "write int_as_float(x)"},
    {"__float2int_rn", "write (int)rint(x)"},
    {"__float2int_rz", "write (int)x"},
    {"__umulhi", "write (uint)((ulong)a * b >> 32)"},
    {"__mulhi", "write (int)((long)a * b >> 32)"},
    {"__trap", "write assert(false);"},
    {"abort", "write assert(false);"},
};

struct ForeignPrefix {
  std::string_view prefix;
  const char* help;
};

constexpr ForeignPrefix kForeignPrefixes[] = {
    {"cuda", "delete it: dnew, copy, dfree and spawn are all there is, and what fails ends the program with a message"},
    {"atomic",
     "write atomic_add, atomic_min, atomic_max, atomic_and, atomic_or, atomic_xor, atomic_exchange or atomic_cas"},
    {"__shfl", kWarp},
    {"__ballot", kWarp},
    {"__any", kWarp},
    {"__all", kWarp},
    {"__match_", kWarp},
    {"__reduce_", kWarp},
    {"__exp", kIntrinsic},
    {"__log", kIntrinsic},
    {"__sin", kIntrinsic},
    {"__cos", kIntrinsic},
    {"__tan", kIntrinsic},
    {"__pow", kIntrinsic},
    {"__fdiv", "write a / b"},
};

} // namespace

const char* foreignCallHelp(std::string_view name) {
  if (const char* help = foreignNameHelp(name))
    return help;
  if (const ForeignName* found = findForeign(kForeignFunctions, name))
    return found->help;
  auto begins = [&](const ForeignPrefix& foreign) {
    size_t size = foreign.prefix.size();
    bool of_cuda =
        foreign.prefix[0] == '_' || (name.size() > size && std::isupper(static_cast<unsigned char>(name[size])));
    return name.substr(0, size) == foreign.prefix && of_cuda;
  };
  auto prefix = std::find_if(std::begin(kForeignPrefixes), std::end(kForeignPrefixes), begins);
  return prefix == std::end(kForeignPrefixes) ? nullptr : prefix->help;
}

} // namespace bsgp::sema
