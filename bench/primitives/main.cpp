// primitives [--quick] [--size N]... [PROBLEM...]: BSGP's primitives and their peers, as JSON.
#include <cstdlib>

#include "harness.h"

using namespace bench;

int main(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    std::string option = argv[i];
    if (option == "--quick")
      settings.quick = true;
    else if (option == "--size" && i + 1 < argc)
      settings.sizes.push_back(std::strtoull(argv[++i], nullptr, 10));
    else
      settings.only.push_back(option);
  }
  Problems problems = makeProblems();
  addBsgp(problems);
  addLimits(problems);
  addHandReduce(problems);
  addHandScan(problems);
  addHandCompact(problems);
  addHandSort(problems);
  addHandHistogram(problems);
  addHandFaces(problems);
#ifdef HAVE_TBB
  addStdPeers(problems);
  addTbbPeers(problems);
#endif
#ifdef HAVE_THRUST
  addThrustPeers(problems);
#endif
#ifdef HAVE_IPS4O
  addIps4oPeers(problems);
#endif
#ifdef HAVE_HIGHWAY
  addHighwayPeers(problems);
#endif
  return measure(problems, settings) ? 0 : 1;
}
