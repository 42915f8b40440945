// Highway's VQSort: vectorized quicksort, on one thread.
#include <hwy/contrib/sort/vqsort.h>

#include "harness.h"

namespace bench {

void addHighwayPeers(Problems& problems) {
  auto sorter = std::make_shared<hwy::Sorter>();
  addPeer(problems, "sort keys", "Highway VQSort, one thread",
          [=](Work& w) { (*sorter)(w.out, w.n, hwy::SortAscending()); });
  Peer& pairs = addPeer(problems, "sort pairs", "Highway VQSort by key and value, one thread",
                        [=](Work& w) { (*sorter)(w.packed, w.n, hwy::SortAscending()); });
  pairs.packed = true;
}

} // namespace bench
