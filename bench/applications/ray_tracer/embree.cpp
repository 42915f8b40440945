#include "embree.h"

#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

namespace bench {
namespace {

constexpr size_t kPiece = 1024, kLanes = 16;

RTCIntersectContext contextOf(bool coherent) {
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  if (coherent)
    context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
  return context;
}

RTCRay rayOf(const Ray& ray, float far) {
  return {ray.from.x, ray.from.y, ray.from.z, 0, ray.along.x, ray.along.y, ray.along.z, 0, far, ~0u, 0, 0};
}

Hit hitOf(float t, unsigned triangle, float u, float v) {
  bool none = triangle == RTC_INVALID_GEOMETRY_ID;
  return {none ? INFINITY : t, int(triangle), {1 - u - v, u, v}};
}

// Sixteen rays or, at the end, fewer; `to` is an RTCRay16.
void fill(RTCRay16& to, int* valid, const Ray* rays, size_t count, float far) {
  for (size_t i = 0; i < kLanes; ++i) {
    valid[i] = i < count ? -1 : 0;
    const Ray& ray = rays[i < count ? i : 0];
    to.org_x[i] = ray.from.x, to.org_y[i] = ray.from.y, to.org_z[i] = ray.from.z;
    to.dir_x[i] = ray.along.x, to.dir_y[i] = ray.along.y, to.dir_z[i] = ray.along.z;
    to.tnear[i] = to.time[i] = 0;
    to.tfar[i] = far;
    to.mask[i] = ~0u;
    to.id[i] = to.flags[i] = 0;
  }
}

void nearestOne(RTCScene scene, RTCIntersectContext& context, const Ray& ray, Hit& hit) {
  RTCRayHit both;
  both.ray = rayOf(ray, INFINITY);
  both.hit.geomID = both.hit.primID = RTC_INVALID_GEOMETRY_ID;
  rtcIntersect1(scene, &context, &both);
  hit = hitOf(both.ray.tfar, both.hit.primID, both.hit.u, both.hit.v);
}

void nearestSixteen(RTCScene scene, RTCIntersectContext& context, const Ray* rays, size_t count, Hit* hits) {
  RTCRayHit16 both;
  alignas(64) int valid[kLanes];
  fill(both.ray, valid, rays, count, INFINITY);
  for (size_t i = 0; i < kLanes; ++i)
    both.hit.geomID[i] = both.hit.primID[i] = RTC_INVALID_GEOMETRY_ID;
  rtcIntersect16(valid, scene, &context, &both);
  for (size_t i = 0; i < count; ++i)
    hits[i] = hitOf(both.ray.tfar[i], both.hit.primID[i], both.hit.u[i], both.hit.v[i]);
}

void anyOne(RTCScene scene, RTCIntersectContext& context, const Ray& ray, Hit& hit) {
  RTCRay one = rayOf(ray, 1);
  rtcOccluded1(scene, &context, &one);
  hit.triangle = one.tfar < 0 ? 0 : -1;
}

void anySixteen(RTCScene scene, RTCIntersectContext& context, const Ray* rays, size_t count, Hit* hits) {
  RTCRay16 all;
  alignas(64) int valid[kLanes];
  fill(all, valid, rays, count, 1);
  rtcOccluded16(valid, scene, &context, &all);
  for (size_t i = 0; i < count; ++i)
    hits[i].triangle = all.tfar[i] < 0 ? 0 : -1;
}

// one(i), or sixteen(i, count), for all of n.
template <class One, class Sixteen> void each(Team& team, Form form, size_t n, const One& one, const Sixteen& sixteen) {
  team.pieces(n, kPiece, [&](size_t begin, size_t end) {
    if (form == Form::single)
      for (size_t i = begin; i < end; ++i)
        one(i);
    else
      for (size_t i = begin; i < end; i += kLanes)
        sixteen(i, std::min(kLanes, end - i));
  });
}

} // namespace

Embree::Embree(unsigned threads, bool robust)
    : device_(rtcNewDevice(("threads=" + std::to_string(threads)).c_str())), robust_(robust) {
  if (!device_)
    throw std::runtime_error("Embree has no device");
  rtcSetDeviceMemoryMonitorFunction(
      device_,
      [](void* bytes, ssize_t change, bool) {
        *static_cast<std::atomic<size_t>*>(bytes) += size_t(change);
        return true;
      },
      &bytes_);
}

Embree::~Embree() {
  if (scene_)
    rtcReleaseScene(scene_);
  rtcReleaseDevice(device_);
}

void Embree::take(const Triangle* triangles, size_t n) {
  corners_.resize(3 * n + 2); // it reads 16 bytes for a corner
  numbers_.resize(3 * n);
  for (size_t i = 0; i < n; ++i) {
    corners_[3 * i] = triangles[i].a;
    corners_[3 * i + 1] = triangles[i].b;
    corners_[3 * i + 2] = triangles[i].c;
  }
  std::iota(numbers_.begin(), numbers_.end(), 0u);
}

void Embree::build() {
  if (scene_)
    rtcReleaseScene(scene_);
  scene_ = rtcNewScene(device_);
  rtcSetSceneFlags(scene_, robust_ ? RTC_SCENE_FLAG_ROBUST : RTC_SCENE_FLAG_NONE);
  RTCGeometry mesh = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_TRIANGLE);
  rtcSetSharedGeometryBuffer(mesh, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, corners_.data(), 0,
                             sizeof(bsgp_float3), numbers_.size());
  rtcSetSharedGeometryBuffer(mesh, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, numbers_.data(), 0, 3 * sizeof(unsigned),
                             numbers_.size() / 3);
  rtcCommitGeometry(mesh);
  rtcAttachGeometry(scene_, mesh);
  rtcReleaseGeometry(mesh);
  rtcCommitScene(scene_);
}

void Embree::nearest(Team& team, Form form, bool coherent, const Ray* rays, size_t n, Hit* hits) const {
  RTCIntersectContext context = contextOf(coherent);
  each(
      team, form, n, [&](size_t i) { nearestOne(scene_, context, rays[i], hits[i]); },
      [&](size_t i, size_t count) { nearestSixteen(scene_, context, rays + i, count, hits + i); });
}

void Embree::any(Team& team, Form form, const Ray* rays, size_t n, Hit* hits) const {
  RTCIntersectContext context = contextOf(true);
  each(
      team, form, n, [&](size_t i) { anyOne(scene_, context, rays[i], hits[i]); },
      [&](size_t i, size_t count) { anySixteen(scene_, context, rays + i, count, hits + i); });
}

} // namespace bench
