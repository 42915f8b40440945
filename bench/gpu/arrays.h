// The arrays of a problem at one size, on the host and on the device.
#pragma once

#include "gpu.h"

namespace bench::gpu {

class DeviceArray {
public:
  DeviceArray(bsgp_context* context, size_t n) : context_(context) {
    void* memory = nullptr;
    succeed(bsgp_alloc(context, n * sizeof(uint32_t), &memory));
    data_ = static_cast<uint32_t*>(memory);
  }
  ~DeviceArray() { bsgp_free(context_, data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  uint32_t* data() const { return data_; }

private:
  bsgp_context* context_;
  uint32_t* data_ = nullptr;
};

// Room for as many inputs as calls take turns over.
class Arrays {
public:
  Arrays(const Problem& problem, bsgp_context* context, Team& team, size_t n, size_t rotate);

  // The arrays of one call.
  Work slice(size_t at) const;

  void poison(); // the output of the first slice

  // Inputs of calls that work in place.
  void refill();

  // What is wrong with what a call did to the first slice. `any_order`: see Peer.
  std::string check(const Problem& problem, const Work& done, bool any_order);

  size_t n() const { return n_; }
  size_t slices() const { return slices_; }

private:
  using Host = std::vector<uint32_t>;
  struct HostArrays {
    HostArrays(size_t in, size_t to_check) : keys(in), values(in), out(to_check), out2(to_check) {}
    Host keys, values, out, out2;
  };

  void connect(Work& work);
  void orderTriangles();
  void upload(size_t to, const Host& from);
  void download(size_t from, Host& to);

  size_t slices_, total_, n_ = 0;
  bsgp_context* context_;
  HostArrays host_;
  std::vector<uint64_t> spare_;
  std::vector<std::unique_ptr<DeviceArray>> device_;
  Work work_;
};

} // namespace bench::gpu
