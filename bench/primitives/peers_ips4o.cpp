// ips4o, in-place parallel samplesort: the fastest comparison sort of Debian.
#include <ips4o.hpp>

#include "harness.h"

namespace bench {

void addIps4oPeers(Problems& problems) {
  constexpr double kOpenMpLingersMs = 8; // as peers_thrust.cpp
  Peer& keys =
      addPeer(problems, "sort keys", "ips4o::parallel", [](Work& w) { ips4o::parallel::sort(w.out, w.out + w.n); });
  keys.lingers_ms = kOpenMpLingersMs;
  Peer& pairs = addPeer(problems, "sort pairs", "ips4o::parallel by key and value",
                        [](Work& w) { ips4o::parallel::sort(w.packed, w.packed + w.n); });
  pairs.packed = true;
  pairs.lingers_ms = kOpenMpLingersMs;
}

} // namespace bench
