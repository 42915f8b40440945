// fluid [--quick] FOLDER [PARTICLES...]: steps of the dam of examples/fluid, in BSGP and by hand, in turns; a line of JSON for
// each size. Into the folder go the states that all begin with, for who runs elsewhere: PARTICLES.bin, x, y, z of places, of velocities,
// and of places behind one step; what the water is like in PARTICLES.json.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <omp.h>
#include <string>

#include <bsgp/bsgp.hpp>

#include "../../program.h"
#include "by_hand.h"

namespace bench {
namespace {

double now() {
  return bench::now(omp_get_max_threads() == 1);
}

struct State {
  std::vector<bsgp_float3> at, velocity;
  explicit State(int particles) : at(size_t(particles)), velocity(size_t(particles)) {}
};

class Dam {
public:
  Dam(int particles, const std::string& folder) : n_(fill(particles)), start_(n_), hand_(water_, n_) {
    bsgp::check(run_dam(nullptr, kBefore));
    bsgp::check(get_dam(nullptr, start_.at.data(), start_.velocity.data()));
    save(folder + "/" + std::to_string(particles));
  }

  void compare(int particles, int steps, int rounds) {
    double off = std::max(difference(Form::loops), difference(Form::groups));
    std::vector<double> ours, loops, groups;
    for (int round = 0; round < rounds; ++round) {
      ours.push_back(timeOurs(steps));
      loops.push_back(time(Form::loops, steps));
      groups.push_back(time(Form::groups, steps));
    }
    std::printf("{\"size\": %d, \"particles\": %d, \"steps\": %d, \"off\": %g", particles, n_, steps, off);
    print("ours", ours), print("loops", loops), print("groups", groups);
    std::printf("}\n");
    std::fflush(stdout);
  }

private:
  static constexpr int kBefore = 300; // steps, behind which nothing stands in a lattice

  int fill(int particles) {
    int made;
    bsgp::check(fill_dam(nullptr, particles, &water_, &made));
    return made;
  }

  void reset() {
    bsgp::check(put_dam(nullptr, start_.at.data(), start_.velocity.data()));
    hand_.put(&start_.at[0].x, &start_.velocity[0].x);
  }

  double timeOurs(int steps) {
    reset();
    double begin = now();
    bsgp::check(run_dam(nullptr, steps));
    return now() - begin;
  }
  double time(Form form, int steps) {
    reset();
    double begin = now();
    hand_.run(form, steps);
    return now() - begin;
  }

  // The largest between places behind one step, which both leave in the order of the cells before it.
  double difference(Form form) {
    State a(n_), b(n_);
    timeOurs(1);
    bsgp::check(get_dam(nullptr, a.at.data(), a.velocity.data()));
    time(form, 1);
    hand_.get(&b.at[0].x, &b.velocity[0].x);
    double most = 0;
    for (size_t i = 0; i < size_t(n_); ++i)
      most = std::max({most, std::fabs(double(a.at[i].x) - b.at[i].x), std::fabs(double(a.at[i].y) - b.at[i].y),
                       std::fabs(double(a.at[i].z) - b.at[i].z)});
    return most;
  }

  void save(const std::string& name) {
    State next(n_);
    timeOurs(1);
    bsgp::check(get_dam(nullptr, next.at.data(), next.velocity.data()));
    std::FILE* bytes = std::fopen((name + ".bin").c_str(), "wb");
    std::FILE* text = std::fopen((name + ".json").c_str(), "w");
    if (!bytes || !text)
      throw std::runtime_error("cannot write " + name);
    std::fwrite(start_.at.data(), sizeof(bsgp_float3), size_t(n_), bytes);
    std::fwrite(start_.velocity.data(), sizeof(bsgp_float3), size_t(n_), bytes);
    std::fwrite(next.at.data(), sizeof(bsgp_float3), size_t(n_), bytes);
    std::fprintf(text, "{\"particles\": %d, \"cells\": [%d, %d, %d], \"box\": [%.9g, %.9g, %.9g], \"mass\": %.9g, ", n_,
                 water_.cells.x, water_.cells.y, water_.cells.z, water_.box.x, water_.box.y, water_.box.z, water_.mass);
    std::fprintf(text, "\"sound\": %.9g, \"viscosity\": %.9g, \"step\": %.9g}\n", water_.sound, water_.viscosity,
                 water_.step);
    std::fclose(bytes);
    std::fclose(text);
  }

  static void print(const char* name, const std::vector<double>& times) {
    std::printf(", \"%s\": [", name);
    for (size_t i = 0; i < times.size(); ++i)
      std::printf("%s%.3f", i ? ", " : "", times[i]);
    std::printf("]");
  }

  Water water_;
  int n_;
  State start_;
  ByHand hand_;
};

} // namespace
} // namespace bench

int main(int argc, char** argv) try {
  bool quick = argc > 1 && !std::strcmp(argv[1], "--quick");
  std::string folder = argv[quick + 1];
  for (int i = quick + 2; i < argc; ++i) {
    int particles = std::atoi(argv[i]), steps = std::max(2, (quick ? 500000 : 4000000) / particles);
    bench::Dam(particles, folder).compare(particles, steps, quick ? 3 : 9);
  }
} catch (const std::exception& exception) {
  std::fprintf(stderr, "%s\n", exception.what());
  return 2;
}
