// What is measured: problems, each solved by several peers, at several sizes. In a round every peer runs once, so that
// what disturbs the machine disturbs all of them; ratios are taken within a round.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bsgp/bsgp.h"
#include "team.h"

namespace bench {

void succeed(bsgp_status status); // or there is no benchmark: each has its own

// The arrays that peers work on: device memory of BSGP, in huge pages, touched.
struct Work {
  Team* team = nullptr;
  bsgp_context* context = nullptr;
  size_t n = 0;
  uint32_t *keys = nullptr, *values = nullptr; // input
  uint32_t *out = nullptr, *out2 = nullptr;    // output; of a sort: input and output
  uint64_t* packed = nullptr;                  // pairs, the key in the high half: of the peers that sort pairs
  uint64_t *spare = nullptr, *spare2 = nullptr;
  int64_t count = 0; // of what was kept, of the even ones; the sum of integers
  double sum = 0;
  std::array<uint32_t, 256> bins{};
  size_t vertices = 0; // of a mesh, the corners of which are `keys`
};

struct Peer {
  std::string name;
  std::function<void(Work&)> run;
  bool packed = false;      // a sort of `packed`, not of out and out2
  bool in_place = false;    // finds its input in out (as all sorts do)
  double lingers_ms = 0.6;  // how long its threads look for work before they sleep
  size_t most = size_t(-1); // largest n: set where a peer is so slow that more tells nothing
};

struct Problem {
  std::string name;
  double bytes;      // read and written for an element, at least
  bool reads_only;   // its limit: reading, not copying
  bool mesh = false; // has sizes of its own
  bool sorts = false;
  std::function<void(Work&)> setup;              // fills the input
  std::function<std::string(const Work&)> check; // what is wrong with the output; empty: nothing
  std::vector<Peer> peers;
};

using Problems = std::vector<Problem>;
// Appends a peer to the problem of that name.
Peer& addPeer(Problems& problems, const std::string& problem, const std::string& name, std::function<void(Work&)> run);

struct Settings {
  bool quick = false;
  std::vector<std::string> only; // names of problems; empty: all
  std::vector<size_t> sizes;     // empty: the usual ones
};

// Measures and prints JSON on stdout, progress on stderr. False if a result was wrong.
bool measure(Problems& problems, const Settings& settings);

// One for each file of peers.
Problems makeProblems();
void addLimits(Problems& problems);
void addHandReduce(Problems& problems);
void addHandScan(Problems& problems);
void addHandCompact(Problems& problems);
void addHandSort(Problems& problems);
void addHandHistogram(Problems& problems);
void addHandFaces(Problems& problems);
void addStdPeers(Problems& problems);
void addTbbPeers(Problems& problems);
void addThrustPeers(Problems& problems);
void addIps4oPeers(Problems& problems);
void addHighwayPeers(Problems& problems);
void addBsgp(Problems& problems);

} // namespace bench
