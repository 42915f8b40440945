// Words of C, C++, CUDA and other languages, with the help for each.
#include "parse/foreign_answers.h"
#include "parse/parser.h"

namespace bsgp {
namespace {

using namespace answers;

constexpr const char* kNoClasses = "write a struct, and functions that take it as a parameter";
constexpr const char* kNoTemplates = "write an inline function with open parameters: inline f(a, b) {...}";
constexpr const char* kLoop = "write for (i = 0; i < n; i++), or spawn(n) for parallel work";
constexpr const char* kCast = "write (T)x";
constexpr const char* kInfer = "write x = ..., auto x = ... or the type";
constexpr const char* kKernel = "delete it: code inside spawn(n) {...} runs on the device, all else on the host";
constexpr const char* kDrop = "delete it";
constexpr const char* kFunction =
    "write the name and parameters: f(int x) {...}, with a result type in front where it has one";
constexpr const char* kErrors = "return a value that tells of the failure";

constexpr const char* kContainer =
    "write dlist(T) for a list in device memory, Array(T) of <array.bsgp> or new[n]T on the host";
constexpr const char* kNoMaps = "there are none: sort keys, and look for them by bisection";
constexpr const char* kPointer = "write T* p = new T; and delete p;";
constexpr const char* kShared = "write shared T x[N];";
constexpr const char* kPlane = "write T[,] p = dnew[h, w]T; and p[y, x]";

constexpr ForeignWord kForeignWords[] = {
    {"__global__", kKernel, ForeignWord::Specifier},
    {"__device__", kKernel, ForeignWord::Specifier},
    {"__host__", kKernel, ForeignWord::Specifier},
    {"__kernel", kKernel, ForeignWord::Specifier},
    {"kernel", kKernel, ForeignWord::Specifier},
    {"__shared__", kShared, ForeignWord::Specifier},
    {"__constant__", "write const T x[N] = {...};", ForeignWord::Specifier},
    {"__restrict__", kDrop, ForeignWord::Specifier},
    {"__restrict", kDrop, ForeignWord::Specifier},
    {"restrict", kDrop, ForeignWord::Specifier},
    {"volatile", kDrop, ForeignWord::Specifier},
    {"register", kDrop, ForeignWord::Specifier},
    {"constexpr", "write const", ForeignWord::Specifier},
    {"uniform", kDrop, ForeignWord::Specifier},
    {"varying", kDrop, ForeignWord::Specifier},
    {"__forceinline__", "write inline", ForeignWord::Specifier},
    {"local", kShared, ForeignWord::Specifier},
    {"__local", kShared, ForeignWord::Specifier},
    {"__private", kDrop, ForeignWord::Specifier},
    {"__global", kDrop, ForeignWord::Specifier},
    {"global", kDrop, ForeignWord::Specifier},
    {"__constant", "delete it; a table is const T x[N] = {...};", ForeignWord::Specifier},
    {"CLK_LOCAL_MEM_FENCE", "write block.sync(); barrier is for all threads of the spawn", ForeignWord::Other},
    {"CLK_GLOBAL_MEM_FENCE", "write barrier; it is for all threads of the spawn, block.sync() for a block's",
     ForeignWord::Other},
    {"class", kNoClasses, ForeignWord::Other},
    {"private", kNoClasses, ForeignWord::Other},
    {"public", kNoClasses, ForeignWord::Other},
    {"virtual", kNoClasses, ForeignWord::Other},
    {"template", kNoTemplates, ForeignWord::Other},
    {"typename", kNoTemplates, ForeignWord::Other},
    {"namespace", "names are global; give them a prefix", ForeignWord::Other},
    {"using", "for a type write typedef T name; namespaces there are none", ForeignWord::Other},
    {"std", "there is no C++ library; see the library's own functions", ForeignWord::Other},
    {"foreach", kLoop, ForeignWord::Loop},
    {"foreach_tiled", kLoop, ForeignWord::Loop},
    {"foreach_active", kLoop, ForeignWord::Loop},
    {"foreach_unique", kLoop, ForeignWord::Loop},
    {"forall", kLoop, ForeignWord::Loop},
    {"parallel", kLoop, ForeignWord::Loop},
    {"parfor", kLoop, ForeignWord::Loop},
    {"cfor", kLoop, ForeignWord::Loop},
    {"cwhile", "write while", ForeignWord::Loop},
    {"cif", "write if", ForeignWord::Loop},
    {"parallel_for", "write spawn(n) {...}", ForeignWord::Loop},
    {"each", kLoop, ForeignWord::Loop},
    {"let", kInfer, ForeignWord::Other},
    {"var", kInfer, ForeignWord::Other},
    {"val", kInfer, ForeignWord::Other},
    {"lambda", "write [](a, b) { return a < b; } as an argument", ForeignWord::Other},
    {"def", kFunction, ForeignWord::Other},
    {"fn", kFunction, ForeignWord::Other},
    {"func", kFunction, ForeignWord::Other},
    {"function", kFunction, ForeignWord::Other},
    {"elif", "write else if", ForeignWord::Other},
    {"elseif", "write else if", ForeignWord::Other},
    {"elsif", "write else if", ForeignWord::Other},
    {"until", "write while (!...)", ForeignWord::Other},
    {"then", "write if (...) {...}", ForeignWord::Other},
    {"try", kErrors, ForeignWord::Other},
    {"catch", kErrors, ForeignWord::Other},
    {"throw", "write assert(false, \"why\") to end the program, or return a value that tells of the failure",
     ForeignWord::Other},
    {"static_cast", kCast, ForeignWord::Other},
    {"reinterpret_cast", kCast, ForeignWord::Other},
    {"dynamic_cast", kCast, ForeignWord::Other},
    {"const_cast", kCast, ForeignWord::Other},
    {"import", "write #include \"file\"", ForeignWord::Other},
    {"and", "write &&", ForeignWord::Other},
    {"or", "write ||", ForeignWord::Other},
    {"not", "write !", ForeignWord::Other},
    {"vector", kContainer, ForeignWord::Generic},
    {"array", kContainer, ForeignWord::Generic},
    {"list", kContainer, ForeignWord::Generic},
    {"Array", kContainer, ForeignWord::Generic},
    {"List", kContainer, ForeignWord::Generic},
    {"Vec", kContainer, ForeignWord::Generic},
    {"map", kNoMaps, ForeignWord::Generic},
    {"unordered_map", kNoMaps, ForeignWord::Generic},
    {"FILE", "write void*, and #include <host.bsgp>", ForeignWord::Generic},
    {"string", kTextType, ForeignWord::Generic},
    {"String", kTextType, ForeignWord::Generic},
    {"dim3", "write the sizes where threads start: spawn (w, h) {...}; or an int, their product", ForeignWord::Generic},
    {"i32", "write int", ForeignWord::Generic},
    {"i64", "write long", ForeignWord::Generic},
    {"u32", "write uint", ForeignWord::Generic},
    {"u64", "write ulong", ForeignWord::Generic},
    {"f16", "write half", ForeignWord::Generic},
    {"f32", "write float", ForeignWord::Generic},
    {"f64", "write double", ForeignWord::Generic},
    {"float32", "write float", ForeignWord::Generic},
    {"float64", "write double", ForeignWord::Generic},
    {"byte", "write uchar", ForeignWord::Generic},
    {"cudaStream_t", kNoStreams, ForeignWord::Generic},
    {"cudaError_t", "delete it: what fails ends the program with a message", ForeignWord::Generic},
    {"texture", kPlane, ForeignWord::Generic},
    {"cudaTextureObject_t", kPlane, ForeignWord::Generic},
    {"cudaArray_t", kPlane, ForeignWord::Generic},
    {"image2d_t", kPlane, ForeignWord::Generic},
    {"sampler2D", kPlane, ForeignWord::Generic},
    {"Texture2D", kPlane, ForeignWord::Generic},
    {"cudaEvent_t", "write seconds() of #include <host.bsgp>, or look at --profile", ForeignWord::Generic},
    {"mutex", "write atomic_add and its kin, or reduce and scan", ForeignWord::Generic},
    {"atomic", kAtomicPlace, ForeignWord::Generic},
    {"set", kNoMaps, ForeignWord::Generic},
    {"pair", "write a struct with two fields", ForeignWord::Generic},
    {"tuple", "write a struct", ForeignWord::Generic},
    {"unique_ptr", kPointer, ForeignWord::Generic},
    {"shared_ptr", kPointer, ForeignWord::Generic},
    {"launch", kThreads, ForeignWord::Generic},
    {"thrust", kPrimitives, ForeignWord::Other},
    {"cub", kPrimitives, ForeignWord::Other},
    {"cout", kPrint, ForeignWord::Other},
    {"cerr", kPrint, ForeignWord::Other},
    {"noexcept", kDrop, ForeignWord::Specifier},
    {"mutable", kDrop, ForeignWord::Specifier},
    {"friend", kDrop, ForeignWord::Specifier},
    {"__launch_bounds__", "write spawn (n) block(128) {...}", ForeignWord::Other},
    {"__managed__", kKernel, ForeignWord::Specifier},
    {"groupshared", kShared, ForeignWord::Specifier},
    {"threadgroup", kShared, ForeignWord::Specifier},
    {"task", kKernel, ForeignWord::Specifier},
};

} // namespace

const ForeignWord* findForeignWord(std::string_view word) {
  return findForeign(kForeignWords, word);
}

} // namespace bsgp
