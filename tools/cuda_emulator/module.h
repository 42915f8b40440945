// A module that is loaded: its variables are in device memory, its kernels are ready to run.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kernel.h"
#include "lower.h"
#include "memory.h"
#include "ptx.h"

namespace bsgp::emulator {

class Module {
public:
  // Throws PtxError where the text is wrong, std::bad_alloc where its variables have no room.
  Module(std::string_view text, unsigned sm, DeviceMemory&);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  Kernel* find(std::string_view name) const; // null: it has none of that name
  bool has(const Kernel* kernel) const {
    return std::any_of(kernels_.begin(), kernels_.end(), [&](auto& entry) { return entry.second.get() == kernel; });
  }
  size_t variableCount() const { return addresses_.size(); }
  const PtxModule& ptx() const { return ptx_; }

private:
  void allocate(const Variable&);
  void initialize(const Variable&);
  uint64_t valueOf(const Variable&, const Initializer&) const;
  void release();

  std::string text_;
  PtxModule ptx_;
  DeviceMemory& memory_;
  Addresses addresses_;
  std::map<std::string_view, std::unique_ptr<Kernel>> kernels_;
};

} // namespace bsgp::emulator
