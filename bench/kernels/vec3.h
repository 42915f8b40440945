// Points and directions of the C++ forms: of floats, or of vectors of floats.
#pragma once

#include <cmath>
#include <type_traits>

namespace bench {

template <class T> struct Triple {
  T x, y, z;
};
using Vec3 = Triple<float>;

template <class T> Triple<T> operator+(Triple<T> a, Triple<T> b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class T> Triple<T> operator-(Triple<T> a, Triple<T> b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class T> Triple<T> operator*(Triple<T> a, Triple<T> b) {
  return {a.x * b.x, a.y * b.y, a.z * b.z};
}
template <class T> Triple<T> operator*(std::type_identity_t<T> s, Triple<T> a) {
  return {s * a.x, s * a.y, s * a.z};
}
template <class T> T dot(Triple<T> a, Triple<T> b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T> Triple<T> cross(Triple<T> a, Triple<T> b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class T> T length(Triple<T> a) {
  using std::sqrt;
  return sqrt(dot(a, a));
}
template <class T> Triple<T> normalize(Triple<T> a) {
  return 1.0f / length(a) * a;
}

} // namespace bench
