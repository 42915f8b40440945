#include "arrays.h"

#include <algorithm>

namespace bench {

void succeed(bsgp_status status) {
  if (status == BSGP_OUT_OF_MEMORY)
    throw gpu::OutOfMemory(bsgp_error_message());
  if (status != BSGP_OK)
    throw std::runtime_error(bsgp_error_message());
}

namespace gpu {
namespace {

constexpr size_t kRoom = 1024; // behind an array: meshes have at least one square
constexpr size_t kAligned = 64;

size_t rounded(size_t n) {
  return (n + kAligned - 1) / kAligned * kAligned;
}

} // namespace

Arrays::Arrays(const Problem& problem, bsgp_context* context, Team& team, size_t n, size_t rotate)
    : slices_(problem.mesh || !problem.sizes.empty() ? 1 : std::max<size_t>(1, rotate / rounded(n))),
      total_(slices_ * rounded(n)), context_(context), host_(total_ + kRoom, n + kRoom) {
  for (int i = 0; i < 4; ++i)
    device_.push_back(std::make_unique<DeviceArray>(context, total_ + kRoom));
  if (problem.mesh)
    spare_.resize(2 * (n + kRoom));
  work_ = {.team = &team, .context = context, .n = problem.mesh ? n : total_};
  connect(work_);
  problem.setup(work_);
  n_ = work_.n = problem.mesh ? work_.n : n;
  upload(0, host_.keys);
  upload(1, host_.values);
}

Work Arrays::slice(size_t at) const {
  size_t offset = at % slices_ * rounded(n_);
  Work work{.context = context_, .n = n_};
  uint32_t** arrays[] = {&work.keys, &work.values, &work.out, &work.out2};
  for (size_t i = 0; i < 4; ++i)
    *arrays[i] = device_[i]->data() + offset;
  work.vertices = work_.vertices;
  return work;
}

void Arrays::poison() {
  std::fill(host_.out.begin(), host_.out.end(), 0xCDCDCDCD);
  upload(2, host_.out);
  upload(3, host_.out);
}

void Arrays::refill() {
  copyOnDevice(context_, device_[2]->data(), device_[0]->data(), total_);
  copyOnDevice(context_, device_[3]->data(), device_[1]->data(), total_);
}

std::string Arrays::check(const Problem& problem, const Work& done, bool any_order) {
  download(2, host_.out);
  download(3, host_.out2);
  if (any_order)
    orderTriangles();
  work_.count = done.count;
  work_.sum = done.sum;
  work_.bins = done.bins;
  return problem.check(work_);
}

// Wrong beginnings stay, for the check to find.
void Arrays::orderTriangles() {
  for (size_t v = 0; v < work_.vertices; ++v) {
    size_t begin = work_.out2[v], end = v + 1 < work_.vertices ? work_.out2[v + 1] : work_.n;
    if (begin < end && end <= work_.n)
      std::sort(work_.out + begin, work_.out + end);
  }
}

void Arrays::connect(Work& work) {
  work.keys = host_.keys.data();
  work.values = host_.values.data();
  work.out = host_.out.data();
  work.out2 = host_.out2.data();
  work.spare = spare_.data();
  work.spare2 = spare_.data() + spare_.size() / 2;
}

void Arrays::upload(size_t to, const Host& from) {
  succeed(bsgp_copy_to_device(context_, device_[to]->data(), from.data(), from.size() * sizeof(uint32_t)));
}

void Arrays::download(size_t from, Host& to) {
  succeed(bsgp_copy_to_host(context_, to.data(), device_[from]->data(), to.size() * sizeof(uint32_t)));
}

} // namespace gpu
} // namespace bench
