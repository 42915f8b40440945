// The GPU benchmark: the problems of bench/primitives (their inputs and checks too) on device memory, which BSGP and
// CUDA share. A peer's Work holds device addresses; what its check looks at is fetched into a Work of the host.
#pragma once

#include <memory>
#include <stdexcept>

#include "../primitives/harness.h"

namespace bench::gpu {

struct OutOfMemory : std::runtime_error {
  using std::runtime_error::runtime_error;
};

using bench::succeed; // throws std::runtime_error

class Peer {
public:
  explicit Peer(std::string its_name) : name(std::move(its_name)) {}
  virtual ~Peer() = default;
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  // Before the first launch with this n and until the next setUp: temporary storage. `vertices`: of a mesh.
  virtual void setUp(const Work&) {}
  // May return before its work is done.
  virtual void launch(Work& work) = 0;
  // Waits for what was launched, and fetches what a caller wants in the host's memory: count, sum, bins.
  virtual void fetch(Work&) {}

  std::string name;
  bool ours = false;
  bool limit = false;     // no solution: a copy of n elements, what memory allows
  bool in_place = false;  // finds its input in out (and out2)
  bool any_order = false; // of the triangles of a vertex
  int calls = 1;          // that one launch stands for
};

struct Problem {
  std::string name;
  double bytes; // read and written for an element, at least
  bool mesh = false;
  std::vector<size_t> sizes = {};           // empty: those of the command line
  std::function<void(Work&)> setup;         // fills keys and values, on the host
  std::function<std::string(Work&)> check;  // what is wrong with out, out2, count, sum, bins; empty: nothing
  std::vector<std::unique_ptr<Peer>> peers; // in the order of the tables
};
using Problems = std::vector<Problem>;

Problem& problemOf(Problems& problems, const std::string& name);

// Events on the device, about all of its streams.
class DeviceClock {
public:
  virtual ~DeviceClock() = default;
  virtual void begin() = 0;
  virtual double endMs() = 0; // waits for what was launched since begin()
};

struct Settings {
  bool check = false; // small sizes, no times: for machines without a GPU too
  int rounds = 21;
  size_t rotate = size_t(1) << 25; // elements that calls take turns over, so that no cache holds their input
  std::vector<std::string> only;
  std::vector<size_t> sizes;
};

Problems makeGpuProblems();
void addOurs(Problems& problems);
void addCopy(Problems& problems);
void addCub(Problems& problems);
void addFaces(Problems& problems);
void addLaunch(Problems& problems);
void copyOnDevice(bsgp_context* context, uint32_t* to, uint32_t* from, size_t n);
std::unique_ptr<DeviceClock> makeDeviceClock(); // null: no GPU that CUDA's own runtime knows
std::string describeDevice();                   // JSON

// Prints rows of JSON on stdout, progress on stderr. False if a result was wrong.
bool measure(Problems& problems, const Settings& settings, bsgp_context* context, DeviceClock* clock);

} // namespace bench::gpu
