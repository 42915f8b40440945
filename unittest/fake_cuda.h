// A driver library without a GPU: it records what it is asked, does the work of its stream late (when somebody waits),
// and fails where it is told to. Its PTX is a list of lines "kernel NAME PARAMETERS"; a test says what kernels do.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace bsgp::test {

struct FakeLaunch {
  std::string name;
  unsigned blocks, block, shared_bytes;
  std::vector<uint64_t> parameters;
};

struct FakeCuda {
  // What it is like.
  int version = 12040, devices = 1, capability = 75;
  bool pools = true;
  size_t memory = size_t(1) << 30;

  // What goes wrong: the call of this name with this number (from 1) returns this error.
  struct Failure {
    int number, error;
  };
  std::map<std::string, Failure> failures;

  // What a kernel does when it runs; not 0: the error that everything returns from then on.
  std::function<int(const FakeLaunch&)> kernel;

  // What it has seen.
  std::vector<std::string> calls;    // names, some with what matters of their arguments
  std::map<std::string, int> counts; // of names
  std::map<std::string, int> live;   // "device", "host", "event", "module", "stream", "pool", "link", "context"
  bool has_pending_work = false;
};

// Device addresses are none of the host's: reading through one ends the test.
inline constexpr uint64_t kDeviceBit = uint64_t(1) << 62;
template <class T> T* onDevice(uint64_t address) {
  return reinterpret_cast<T*>(uintptr_t(address & ~kDeviceBit));
}

// In the library: starts again with a fresh one.
using FakeCudaReset = FakeCuda* (*)();

} // namespace bsgp::test
