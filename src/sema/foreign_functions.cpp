// Names of other languages that are also good names for variables (sum, tid): they are foreign only if no variable is near, or if
// called. Also those that come in large groups, known by a few letters.
#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "parse/foreign_answers.h"
#include "sema/foreign_functions.h"
#include "sema/services.h"

namespace bsgp::sema {

namespace {

using namespace answers;

constexpr const char* kZeros = "write p = dnew[n]T; and fill(p, n, 0);";
constexpr const char* kImage =
    "write p[y, x] of a T[,]; clamp(x, 0, p.width - 1) keeps x inside, mix(a, b, t) goes between";
constexpr const char* kInput =
    "write readFile(path, size) of #include <host.bsgp>, or declare it: extern int scanf(char* format, ...);";
constexpr const char* kPrintError = "write printf(\"%d\\n\", x); to stderr, in host code, dprintf(2, \"%d\\n\", x) of "
                                    "#include <host.bsgp>";
constexpr const char* kWarp = "write warp.shuffle, warp.ballot, warp.any, warp.all or block.reduce(+, x)";

constexpr const char* kDegrees = "angles are in radians: multiply by (float)(M_PI / 180)";
constexpr const char* kHalfTurns =
    "multiply by (float)M_PI: sin(x * (float)M_PI); of a large x take x - 2 * rint(x / 2) first";
constexpr const char* kWhereIsIt = "write a loop, or reduce with an operator of (value, place): docs/primitives.md";

// `alone`: the name. `math`: of C's mathematics or shaped as it, with forms for float (f behind it) and long double (l),
// CUDA's __sinf and OpenCL's native_sin. `here`: such a one whose plain name is the library's own.
enum class Forms : uint8_t { Alone, Math, Here };
struct ForeignFunction {
  std::string_view name;
  const char* help; // Here: what to write alone
  Forms forms = Forms::Alone;
};

constexpr ForeignFunction kForeignFunctions[] = {
    {"tid", kRank},
    {"gid", kRank},
    {"lid", kInBlock},
    {"thread_id", kRank},
    {"thread_idx", kRank},
    {"thread_index", kRank},
    {"global_id", kRank},
    {"local_id", kInBlock},
    {"lane_id", kInWarp},
    {"laneid", kInWarp},
    {"lane", kInWarp},
    {"laneId", kInWarp},
    {"warp_id", kInWarp},
    {"warpid", kInWarp},
    {"block_id", kBlock},
    {"blockid", kBlock},
    {"block_idx", kBlock},
    {"block_dim", kBlock},
    {"block_size", kBlock},
    {"grid_dim", "write thread.size for all threads, block.count for blocks"},
    {"num_threads", kThreadCount},
    {"numThreads", kThreadCount},
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
    {"sprintf", "declare it: extern int sprintf(char* to, char* format, ...);"},
    {"sscanf", "declare it: extern int sscanf(char* text, char* format, ...);"},
    {"strcpy", "declare it: extern char* strcpy(char* to, const char* from); or take Text of <text.bsgp>"},
    {"strncpy",
     "declare it: extern char* strncpy(char* to, const char* from, ulong size); or take Text of <text.bsgp>"},
    {"strcat", "declare it: extern char* strcat(char* to, const char* from); or take Text of <text.bsgp>"},
    {"strncat",
     "declare it: extern char* strncat(char* to, const char* from, ulong size); or take Text of <text.bsgp>"},
    {"strdup", "declare it: extern char* strdup(const char* text);"},
    {"strncmp", "declare it: extern int strncmp(const char* a, const char* b, ulong size);"},
    {"strchr", "declare it: extern char* strchr(const char* text, int c);"},
    {"strrchr", "declare it: extern char* strrchr(const char* text, int c);"},
    {"strstr", "declare it: extern char* strstr(const char* text, const char* what);"},
    {"strtok", "declare it: extern char* strtok(char* text, const char* between);"},
    {"toupper", "declare it: extern int toupper(int c);"},
    {"tolower", "declare it: extern int tolower(int c);"},
    {"isdigit", "write c >= '0' && c <= '9'"},
    {"isspace", "write c == ' ' || c >= 9 && c <= 13"},
    {"isupper", "write c >= 'A' && c <= 'Z'"},
    {"islower", "write c >= 'a' && c <= 'z'"},
    {"isalpha", "write c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'"},
    {"fprintf", kPrintError},
    {"vfprintf", kPrintError},
    {"fputs", kPrintError},
    {"putchar", "declare it: extern int putchar(int c);"},
    {"qsort", kSort},
    {"parallel_for", "write spawn (n) {...}"},
    {"for_each", kEach},
    {"transform", kTransform},
    {"accumulate", kReduceArray},
    {"sync", kBlockSync},
    {"mem_fence", "write memory_fence()"},
    {"work_group_barrier", kBlockSync},
    {"this_thread_block", "write block.sync(), block.rank, block.limit"},
    {"this_grid", "write barrier; for all threads of the spawn"},
    {"parallelFor", "write spawn (n) {...}"},
    {"cudaLaunchKernel", kThreads},
    {"hipLaunchKernelGGL", kThreads},
    {"parallel_reduce", kReduce},
    {"parallel_scan", "write scan(+, x): x becomes the sum over the threads before, the call gives the total"},
    {"InterlockedAdd", "write atomic_add(p, x), which gives what was there"},
    {"InterlockedMin", "write atomic_min(p, x), which gives what was there"},
    {"InterlockedMax", "write atomic_max(p, x), which gives what was there"},
    {"InterlockedAnd", "write atomic_and(p, x), which gives what was there"},
    {"InterlockedOr", "write atomic_or(p, x), which gives what was there"},
    {"InterlockedXor", "write atomic_xor(p, x), which gives what was there"},
    {"InterlockedExchange", "write atomic_exchange(p, x), which gives what was there"},
    {"InterlockedCompareExchange", "write atomic_cas(p, expected, desired), which gives what was there"},
    {"simd_sum", "write block.reduce(+, x)"},
    {"simd_shuffle", "write warp.shuffle(x, lane)"},
    {"__activemask", "write warp.ballot(true)"},
    {"__float_as_int", "write float_as_int(x)"},
    {"__int_as_float", "write int_as_float(x)"},
    {"__umulhi", "write (uint)((ulong)a * b >> 32)"},
    {"__mulhi", "write (int)((long)a * b >> 32)"},
    {"__trap", "write assert(false);"},
    {"abort", "write assert(false);"},
    {"acos", "acos(x)", Forms::Here},
    {"acosh", "acosh(x)", Forms::Here},
    {"asin", "asin(x)", Forms::Here},
    {"asinh", "asinh(x)", Forms::Here},
    {"atan", "atan(x)", Forms::Here},
    {"atan2", "atan2(y, x)", Forms::Here},
    {"atanh", "atanh(x)", Forms::Here},
    {"cbrt", "cbrt(x)", Forms::Here},
    {"ceil", "ceil(x)", Forms::Here},
    {"copysign", "copysign(x, y)", Forms::Here},
    {"cos", "cos(x)", Forms::Here},
    {"cosh", "cosh(x)", Forms::Here},
    {"erf", "erf(x)", Forms::Here},
    {"erfc", "erfc(x)", Forms::Here},
    {"exp", "exp(x)", Forms::Here},
    {"exp10", "exp10(x)", Forms::Here},
    {"exp2", "exp2(x)", Forms::Here},
    {"expm1", "expm1(x)", Forms::Here},
    {"fabs", "fabs(x)", Forms::Here},
    {"floor", "floor(x)", Forms::Here},
    {"fma", "fma(a, b, c)", Forms::Here},
    {"fmax", "fmax(a, b)", Forms::Here},
    {"fmin", "fmin(a, b)", Forms::Here},
    {"fmod", "fmod(x, y)", Forms::Here},
    {"frexp", "frexp(x, e)", Forms::Here},
    {"hypot", "hypot(x, y)", Forms::Here},
    {"ilogb", "ilogb(x)", Forms::Here},
    {"isfinite", "isfinite(x)", Forms::Here},
    {"isinf", "isinf(x)", Forms::Here},
    {"isnan", "isnan(x)", Forms::Here},
    {"ldexp", "ldexp(x, n)", Forms::Here},
    {"log", "log(x)", Forms::Here},
    {"log10", "log10(x)", Forms::Here},
    {"log1p", "log1p(x)", Forms::Here},
    {"log2", "log2(x)", Forms::Here},
    {"modf", "modf(x, whole)", Forms::Here},
    {"pow", "pow(x, y)", Forms::Here},
    {"remainder", "remainder(x, y)", Forms::Here},
    {"rint", "rint(x)", Forms::Here},
    {"round", "round(x)", Forms::Here},
    {"rsqrt", "rsqrt(x)", Forms::Here},
    {"saturate", "saturate(x)", Forms::Here},
    {"signbit", "signbit(x)", Forms::Here},
    {"sin", "sin(x)", Forms::Here},
    {"sincos", "sincos(x, s, c)", Forms::Here},
    {"sinh", "sinh(x)", Forms::Here},
    {"sqrt", "sqrt(x)", Forms::Here},
    {"tan", "tan(x)", Forms::Here},
    {"tanh", "tanh(x)", Forms::Here},
    {"trunc", "trunc(x)", Forms::Here},
    {"normalize", "normalize(v)", Forms::Here},
    {"length", "length(v)", Forms::Here},
    {"distance", "distance(a, b)", Forms::Here},
    {"clamp", "clamp(x, lo, hi)", Forms::Here},
    {"logb", "write (float)ilogb(x), for x that is finite and not 0", Forms::Math},
    {"scalbn", "write ldexp(x, n)", Forms::Math},
    {"scalbln", "write ldexp(x, n), with an int n", Forms::Math},
    {"scalb", "write x * exp2(y)", Forms::Math},
    {"nearbyint", "write rint(x): halves go to the even neighbour in both", Forms::Math},
    {"lrint", "write (long)rint(x)", Forms::Math},
    {"llrint", "write (long)rint(x)", Forms::Math},
    {"lround", "write (long)round(x)", Forms::Math},
    {"llround", "write (long)round(x)", Forms::Math},
    {"fdim", "write x <= y ? 0 : x - y", Forms::Math},
    {"nan", "write NAN, or (double)NAN", Forms::Math},
    {"remquo", "write remainder(x, y); the quotient is rint((x - remainder(x, y)) / y)", Forms::Math},
    {"nextafter", "write int_as_float(float_as_int(x) + 1) for the float after an x > 0, - 1 for the one before it",
     Forms::Math},
    {"nexttoward", "write int_as_float(float_as_int(x) + 1) for the float after an x > 0, - 1 for the one before it",
     Forms::Math},
    {"fpclassify", "write isnan(x), isinf(x), x == 0", Forms::Math},
    {"isnormal", "write isfinite(x) && fabs(x) >= 0x1p-126f, or 0x1p-1022 of a double", Forms::Math},
    {"finite", "write isfinite(x)", Forms::Math},
    {"isgreater", "write x > y", Forms::Math},
    {"isgreaterequal", "write x >= y", Forms::Math},
    {"isless", "write x < y", Forms::Math},
    {"islessequal", "write x <= y", Forms::Math},
    {"islessgreater", "write x < y || x > y", Forms::Math},
    {"isunordered", "write isnan(x) || isnan(y)", Forms::Math},
    {"tgamma", "there is none: write it, or in host code declare C's: extern double tgamma(double x);", Forms::Math},
    {"lgamma", "there is none: write it, or in host code declare C's: extern double lgamma(double x);", Forms::Math},
    {"gamma", "there is none: write it, or in host code declare C's: extern double lgamma(double x); or tgamma",
     Forms::Math},
    {"j0", "there is none: write it, or in host code declare C's: extern double j0(double x);", Forms::Math},
    {"j1", "there is none: write it, or in host code declare C's: extern double j1(double x);", Forms::Math},
    {"jn", "there is none: write it, or in host code declare C's: extern double jn(int n, double x);", Forms::Math},
    {"y0", "there is none: write it, or in host code declare C's: extern double y0(double x);", Forms::Math},
    {"y1", "there is none: write it, or in host code declare C's: extern double y1(double x);", Forms::Math},
    {"yn", "there is none: write it, or in host code declare C's: extern double yn(int n, double x);", Forms::Math},
    {"drem", "write remainder(x, y)", Forms::Math},
    {"significand", "write ldexp(x, -ilogb(x))", Forms::Math},
    {"pow10", "write exp10(x)", Forms::Math},
    {"rcbrt", "write 1 / cbrt(x)", Forms::Math},
    {"rhypot", "write 1 / hypot(x, y)", Forms::Math},
    {"norm3d", "write length(float3(a, b, c)), of doubles length(double3(a, b, c))", Forms::Math},
    {"norm4d", "write length(float4(a, b, c, d)), of doubles length(double4(a, b, c, d))", Forms::Math},
    {"rnorm3d", "write 1 / length(float3(a, b, c))", Forms::Math},
    {"rnorm4d", "write 1 / length(float4(a, b, c, d))", Forms::Math},
    {"normcdf", "write 0.5f * erfc(x * -0.70710678f), of a double 0.5 * erfc(-x / M_SQRT2)", Forms::Math},
    {"erfcx", "write exp(x * x) * erfc(x), for x below 9", Forms::Math},
    {"sinpi", kHalfTurns, Forms::Math},
    {"cospi", kHalfTurns, Forms::Math},
    {"tanpi", kHalfTurns, Forms::Math},
    {"sincospi", kHalfTurns, Forms::Math},
    {"asinpi", "write asin(x) / (float)M_PI", Forms::Math},
    {"acospi", "write acos(x) / (float)M_PI", Forms::Math},
    {"atanpi", "write atan(x) / (float)M_PI", Forms::Math},
    {"atan2pi", "write atan2(y, x) / (float)M_PI", Forms::Math},
    {"fdivide", "write a / b", Forms::Math},
    {"recip", "write 1 / x", Forms::Math},
    {"divide", "write a / b", Forms::Math},
    {"powr", "write pow(x, y)", Forms::Math},
    {"rcp", "write 1 / x", Forms::Math},
    {"labs", "write abs(x)"},
    {"llabs", "write abs(x)"},
    {"llmin", "write min(a, b)"},
    {"llmax", "write max(a, b)"},
    {"umin", "write min(a, b)"},
    {"umax", "write max(a, b)"},
    {"ullmin", "write min(a, b)"},
    {"ullmax", "write max(a, b)"},
    {"__clz", "write clz(x)"},
    {"__clzll", "write clz(x)"},
    {"__ffs", "write x == 0 ? 0 : ctz(x) + 1"},
    {"__ffsll", "write x == 0 ? 0 : ctz(x) + 1"},
    {"__brev", "write a loop over the bits: reversed = reversed << 1 | (x >> i & 1)"},
    {"__brevll", "write a loop over the bits: reversed = reversed << 1 | (x >> i & 1)"},
    {"__byte_perm", "write shifts and masks: x >> 8 & 255"},
    {"__mul24", "write a * b, of numbers below 2^23"},
    {"__umul24", "write a * b, of numbers below 2^24"},
    {"mul24", "write a * b, of numbers below 2^23"},
    {"mad24", "write a * b + c"},
    {"__mul64hi", "write the product of the halves: there are no 128 bits"},
    {"__umul64hi", "write the product of the halves: there are no 128 bits"},
    {"mul_hi", "write (int)((long)a * b >> 32)"},
    {"mad_hi", "write (int)((long)a * b >> 32) + c"},
    {"__sad", "write abs(x - y) + z"},
    {"__usad", "write (x > y ? x - y : y - x) + z"},
    {"__hadd", "write (a & b) + ((a ^ b) >> 1)"},
    {"__uhadd", "write (a & b) + ((a ^ b) >> 1)"},
    {"__rhadd", "write (a | b) - ((a ^ b) >> 1)"},
    {"__urhadd", "write (a | b) - ((a ^ b) >> 1)"},
    {"__float_as_uint", "write float_as_uint(x)"},
    {"__uint_as_float", "write int_as_float((int)x)"},
    {"__double_as_longlong", "write double_as_long(x)"},
    {"__longlong_as_double", "write long_as_double(x)"},
    {"__double2hiint", "write (int)(double_as_long(x) >> 32)"},
    {"__double2loint", "write (int)double_as_long(x)"},
    {"__hiloint2double", "write long_as_double((long)hi << 32 | (uint)lo)"},
    {"__float2half", "write (half)x"},
    {"__half2float", "write (float)x"},
    {"frac", "write fract(x)"},
    {"mad", "write a * b + c"},
    {"mod", "write x - y * floor(x / y); fmod(x, y) has the sign of x"},
    {"inversesqrt", "write rsqrt(x)"},
    {"roundEven", "write rint(x)"},
    {"ceiling", "write ceil(x)"},
    {"asfloat", "write int_as_float(x)"},
    {"asint", "write float_as_int(x)"},
    {"asuint", "write float_as_uint(x)"},
    {"as_float", "write int_as_float(x)"},
    {"as_int", "write float_as_int(x)"},
    {"as_uint", "write float_as_uint(x)"},
    {"as_long", "write double_as_long(x)"},
    {"as_double", "write long_as_double(x)"},
    {"floatBitsToInt", "write float_as_int(x)"},
    {"floatBitsToUint", "write float_as_uint(x)"},
    {"intBitsToFloat", "write int_as_float(x)"},
    {"uintBitsToFloat", "write int_as_float((int)x)"},
    {"intbits", "write float_as_int(x)"},
    {"floatbits", "write int_as_float((int)x)"},
    {"doublebits", "write long_as_double((long)x)"},
    {"countbits", "write popcount(x)"},
    {"bitCount", "write popcount(x)"},
    {"bitcount", "write popcount(x)"},
    {"popcnt", "write popcount(x)"},
    {"popc", "write popcount(x)"},
    {"reversebits", "write a loop over the bits: reversed = reversed << 1 | (x >> i & 1)"},
    {"bitfieldReverse", "write a loop over the bits: reversed = reversed << 1 | (x >> i & 1)"},
    {"firstbithigh", "write x == 0 ? -1 : 31 - clz(x)"},
    {"findMSB", "write x == 0 ? -1 : 31 - clz(x)"},
    {"firstbitlow", "write x == 0 ? -1 : ctz(x)"},
    {"findLSB", "write x == 0 ? -1 : ctz(x)"},
    {"bitfieldExtract", "write x >> offset & (1 << bits) - 1"},
    {"count_leading_zeros", "write clz(x)"},
    {"count_trailing_zeros", "write ctz(x)"},
    {"lessThan", "write a < b"},
    {"lessThanEqual", "write a <= b"},
    {"greaterThan", "write a > b"},
    {"greaterThanEqual", "write a >= b"},
    {"equal", "write a == b"},
    {"notEqual", "write a != b"},
    {"isequal", "write x == y"},
    {"isnotequal", "write x != y"},
    {"degrees", "write x * (float)(180 / M_PI)"},
    {"radians", "write x * (float)(M_PI / 180)"},
    {"mul", "write the products and sums: there are no matrices"},
    {"matrixCompMult", "write the products: there are no matrices"},
    {"rotate", "write x << n | x >> (32 - n), of a uint x and n from 1 to 31"},
    {"add_sat", "write (int)min(max((long)a + b, (long)lowest(1)), (long)highest(1))"},
    {"sub_sat", "write (int)min(max((long)a - b, (long)lowest(1)), (long)highest(1))"},
    {"hadd", "write (a & b) + ((a ^ b) >> 1)"},
    {"rhadd", "write (a | b) - ((a ^ b) >> 1)"},
    {"bitselect", "write a & ~c | b & c"},
    {"rootn", "write pow(x, 1.0f / n)"},
    {"pown", "write pow(x, n)"},
    {"powi", "write pow(x, n)"},
    {"maxmag", "write fabs(x) > fabs(y) ? x : y"},
    {"minmag", "write fabs(x) < fabs(y) ? x : y"},
    {"min3", "write min(a, min(b, c))"},
    {"max3", "write max(a, max(b, c))"},
    {"mid3", "write max(min(a, b), min(max(a, b), c))"},
    {"med3", "write max(min(a, b), min(max(a, b), c))"},
    {"median", "write sort(p, n), and take p[n / 2]"},
    {"rcp_fast", "write 1 / x"},
    {"rsqrt_fast", "write rsqrt(x)"},
    {"broadcast", "write warp.shuffle(x, lane)"},
    {"absolute", "write abs(x)"},
    {"arcsin", "write asin(x)"},
    {"arccos", "write acos(x)"},
    {"arctan", "write atan(x)"},
    {"arctan2", "write atan2(y, x)"},
    {"arcsinh", "write asinh(x)"},
    {"arccosh", "write acosh(x)"},
    {"arctanh", "write atanh(x)"},
    {"power", "write pow(x, y)"},
    {"maximum", "write max(a, b)"},
    {"minimum", "write min(a, b)"},
    {"square", "write x * x"},
    {"sqr", "write x * x; the root is sqrt(x)"},
    {"pow2", "write x * x; two to the power of x is exp2(x)"},
    {"reciprocal", "write 1 / x"},
    {"around", "write rint(x)"},
    {"true_divide", "write (double)a / b"},
    {"floor_divide", "write floor(a / b)"},
    {"deg2rad", "write x * (float)(M_PI / 180)"},
    {"rad2deg", "write x * (float)(180 / M_PI)"},
    {"logaddexp", "write max(a, b) + log1p(exp(-fabs(a - b)))"},
    {"sigmoid", "write 1 / (1 + exp(-x))"},
    {"relu", "write max(x, 0.0f)"},
    {"where", "write c ? a : b"},
    {"clip", "write clamp(x, lo, hi)"},
    {"amax", "write reduce(max, x), or of an array reduce(max, p, n)"},
    {"amin", "write reduce(min, x), or of an array reduce(min, p, n)"},
    {"prod", "write reduce(*, x), or of an array reduce(*, p, n)"},
    {"cumsum", "write scan_inclusive(+, x)"},
    {"argmax", kWhereIsIt},
    {"argmin", kWhereIsIt},
    {"norm", "write length(v)"},
    {"magnitude", "write length(v)"},
    {"ln", "write log(x)"},
    {"lg", "write log2(x), or log10(x)"},
    {"ld", "write log2(x)"},
    {"logn", "write log(x) / log(base)"},
    {"sgn", "write sign(x)"},
    {"signum", "write sign(x)"},
    {"cot", "write 1 / tan(x)"},
    {"sec", "write 1 / cos(x)"},
    {"csc", "write 1 / sin(x)"},
    {"coth", "write 1 / tanh(x)"},
    {"sech", "write 1 / cosh(x)"},
    {"csch", "write 1 / sinh(x)"},
    {"acot", "write atan(1 / x)"},
    {"asec", "write acos(1 / x)"},
    {"acsc", "write asin(1 / x)"},
    {"tg", "write tan(x)"},
    {"ctg", "write 1 / tan(x)"},
    {"sinc", "write x == 0 ? 1 : sin(x) / x"},
    {"sind", kDegrees},
    {"cosd", kDegrees},
    {"tand", kDegrees},
    {"is_nan", "write isnan(x)"},
    {"isNaN", "write isnan(x)"},
    {"is_inf", "write isinf(x)"},
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
};

bool takeAway(std::string_view& name, std::string_view prefix, std::string_view suffix) {
  bool has = name.size() > prefix.size() + suffix.size() && name.starts_with(prefix) && name.ends_with(suffix);
  if (has)
    name = name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
  return has;
}

// sinf, sinl, __sinf, native_sin.
std::string helpForForm(std::string_view name) {
  struct Form {
    std::string_view prefix, suffix;
    const char* why;
  };
  constexpr const char* kQuick = "; --fp fast lets a GPU take its quick form";
  constexpr Form kForms[] = {{"__", "f", kQuick},
                             {"native_", "", kQuick},
                             {"half_", "", kQuick},
                             {"fast_", "", kQuick},
                             {"", "f", ": the type of the value decides, a float has a float's"},
                             {"", "l", ": double is the widest type there is"}};
  for (const Form& form : kForms) {
    std::string_view stem = name;
    const ForeignFunction* found =
        takeAway(stem, form.prefix, form.suffix) ? findForeign(kForeignFunctions, stem) : nullptr;
    if (found && found->forms == Forms::Here)
      return fmt::format("write {}{}", found->help, form.why);
    if (found && found->forms == Forms::Math)
      return found->help;
  }
  return "";
}

// Takes the rounding of CUDA's __fadd_rn and __float2int_rz away from the end of a name, and returns it; 0: none.
char roundingOf(std::string_view& name) {
  constexpr size_t kLength = 3;
  if (name.size() <= kLength || name.substr(name.size() - kLength, 2) != "_r")
    return 0;
  char rounding = name.back();
  name.remove_suffix(kLength);
  return rounding;
}

std::string helpForRounded(std::string_view operation, char rounding) {
  struct Operation {
    std::string_view name;
    const char* text;
    bool may_fuse = false;
  };
  constexpr Operation kOperations[] = {{"fadd", "a + b", true}, {"fsub", "a - b", true},  {"fmul", "a * b", true},
                                       {"dadd", "a + b", true}, {"dsub", "a - b", true},  {"dmul", "a * b", true},
                                       {"fdiv", "a / b"},       {"ddiv", "a / b"},        {"frcp", "1 / x"},
                                       {"drcp", "1 / x"},       {"fsqrt", "sqrt(x)"},     {"dsqrt", "sqrt(x)"},
                                       {"frsqrt", "rsqrt(x)"},  {"fmaf", "fma(a, b, c)"}, {"fma", "fma(a, b, c)"}};
  const Operation* found = findForeign(kOperations, operation);
  if (!found)
    return "";
  if (rounding != 'n')
    return fmt::format("write {}: it is rounded to the nearest, and there is no other rounding", found->text);
  return found->may_fuse
             ? fmt::format("write x = {}; in a statement of its own: it is rounded there, and not fused with "
                           "what stands behind it",
                           found->text)
             : fmt::format("write {}", found->text);
}

// float2int and its kin.
std::string helpForConversion(std::string_view name, char rounding) {
  struct Number {
    std::string_view name;
    const char* type;
    bool whole;
  };
  constexpr Number kNumbers[] = {{"float", "float", false}, {"double", "double", false}, {"half", "half", false},
                                 {"int", "int", true},      {"uint", "uint", true},      {"ll", "long", true},
                                 {"ull", "ulong", true},    {"short", "short", true},    {"ushort", "ushort", true}};
  size_t at = name.find('2');
  if (at == std::string_view::npos)
    return "";
  const Number *from = findForeign(kNumbers, name.substr(0, at)), *to = findForeign(kNumbers, name.substr(at + 1));
  if (!from || !to)
    return "";
  const char* rounded = rounding == 'n' ? "rint(x)" : rounding == 'u' ? "ceil(x)" : rounding == 'd' ? "floor(x)" : "x";
  return fmt::format("write ({}){}", to->type, to->whole && !from->whole ? rounded : "x");
}

std::string helpForIntrinsic(std::string_view name) {
  if (!takeAway(name, "__", ""))
    return "";
  char rounding = roundingOf(name);
  std::string help = rounding ? helpForRounded(name, rounding) : "";
  return help.empty() ? helpForConversion(name, rounding) : help;
}

} // namespace

std::string foreignCallHelp(std::string_view name) {
  if (const char* help = foreignNameHelp(name))
    return help;
  const ForeignFunction* found = findForeign(kForeignFunctions, name);
  if (found && found->forms != Forms::Here)
    return found->help;
  constexpr std::string_view kHip = "hip";
  bool of_hip = name.size() > kHip.size() && name.starts_with(kHip) &&
                std::isupper(static_cast<unsigned char>(name[kHip.size()]));
  if (of_hip) // hipMalloc is CUDA's cudaMalloc
    return foreignCallHelp(fmt::format("cuda{}", name.substr(kHip.size())));
  if (std::string help = helpForIntrinsic(name); !help.empty())
    return help;
  if (std::string help = helpForForm(name); !help.empty())
    return help;
  auto begins = [&](const ForeignPrefix& foreign) {
    size_t size = foreign.prefix.size();
    bool of_cuda =
        foreign.prefix[0] == '_' || (name.size() > size && std::isupper(static_cast<unsigned char>(name[size])));
    return name.substr(0, size) == foreign.prefix && of_cuda;
  };
  auto prefix = std::find_if(std::begin(kForeignPrefixes), std::end(kForeignPrefixes), begins);
  return prefix == std::end(kForeignPrefixes) ? "" : prefix->help;
}

} // namespace bsgp::sema
