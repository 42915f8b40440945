#include "arrays/linalg/blas.h"

#include <cstdlib>
#include <mutex>
#include <string>

#include <dlfcn.h>
#include <fmt/format.h>
#include <pthread.h>

#include "runtime/environment.h"

namespace bsgp::arrays {

namespace {

constexpr int kOpenMp = 2; // of openblas_get_parallel

// Looks functions up, and keeps the name of the first one that is not there.
class Names {
public:
  explicit Names(void* library) : library_(library) {}

  template <class Function> void find(Function& function, const std::string& name) {
    function = reinterpret_cast<Function>(dlsym(library_, name.c_str()));
    if (!function && missing_.empty())
      missing_ = name;
  }
  const std::string& missing() const { return missing_; }

private:
  void* library_;
  std::string missing_;
};

template <class T> void findAll(Names& names, const std::string& letter, Lapack<T>& table) {
  std::string orthogonal = is_complex<T> ? "un" : "or", symmetric = is_complex<T> ? "he" : "sy";
  names.find(table.gemm, letter + "gemm_");
  names.find(table.gemv, letter + "gemv_");
  names.find(table.potrf, letter + "potrf_");
  names.find(table.getrf, letter + "getrf_");
  names.find(table.getri, letter + "getri_");
  names.find(table.getrs, letter + "getrs_");
  names.find(table.gelqf, letter + "gelqf_");
  names.find(table.orglq, letter + orthogonal + "glq_");
  names.find(table.syevd, letter + symmetric + "evd_");
  names.find(table.gesdd, letter + "gesdd_");
  names.find(table.geev, letter + "geev_");
}

bool& isForked() {
  static bool forked = false;
  return forked;
}

void findThreads(void* library, Blas& blas) {
  Names optional(library);
  int (*parallel)() = nullptr;
  optional.find(blas.threads, "openblas_get_num_threads");
  optional.find(blas.set_threads, "openblas_set_num_threads");
  optional.find(parallel, "openblas_get_parallel");
  if (!optional.missing().empty())
    blas.threads = nullptr;
  else
    blas.loses_threads = parallel() == kOpenMp;
  if (blas.loses_threads)
    pthread_atfork(nullptr, nullptr, [] { isForked() = true; });
}

Result<const Blas*> load(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return Error{fmt::format("products of matrices and linear algebra need OpenBLAS: {}\n  help: Debian's package "
                             "libopenblas0 has it; BSGP_BLAS names another file with BLAS and LAPACK",
                             dlerror())};
  static Blas blas;
  Names names(library);
  findAll(names, "s", blas.s);
  findAll(names, "d", blas.d);
  findAll(names, "c", blas.c);
  findAll(names, "z", blas.z);
  if (!names.missing().empty())
    return Error{fmt::format(
        "'{}' has no {}\n  help: the library has to have BLAS and LAPACK, as libopenblas.so.0 of Debian's package "
        "libopenblas0",
        path, names.missing())};
  findThreads(library, blas);
  return &blas;
}

} // namespace

Result<const Blas*> loadBlas() {
  static std::mutex mutex;
  static const Blas* loaded = nullptr;
  std::lock_guard lock(mutex);
  if (loaded)
    return loaded;
  const char* named = runtime::environment("BSGP_BLAS");
  auto blas = load(named ? named : "libopenblas.so.0");
  if (blas)
    loaded = *blas;
  return blas;
}

BlasThreads::BlasThreads(const Blas& blas, unsigned threads) : blas_(blas) {
  if (!blas.threads)
    return;
  before_ = blas.threads();
  blas.set_threads(blas.loses_threads && isForked() ? 1 : int(threads));
}

BlasThreads::~BlasThreads() {
  if (blas_.threads)
    blas_.set_threads(before_);
}

} // namespace bsgp::arrays
