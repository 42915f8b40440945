// tessellation [--quick] [VIEW...]: examples/tessellation with and without thread.fork, and by hand in C++, in turns; a line of JSON
// for each level of detail.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <sys/resource.h>

#include <bsgp/bsgp.hpp>

#include "../../program.h"
#include "by_hand.h"

namespace bench {
namespace {

constexpr const char* kViews[] = {"side", "top"};
constexpr float kDetails[] = {0.25f, 0.5f, 1, 2, 4};

long peak() { // kilobytes
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

struct Form {
  const char* name;
  std::function<void()> run;
  std::vector<double> ms = {};
  long grown = 0;
};

float farthest(const bsgp_float3& a, const bsgp_float3& b) {
  return std::max({std::fabs(a.x - b.x), std::fabs(a.y - b.y), std::fabs(a.z - b.z)});
}

class Bench {
public:
  Bench(bsgp::Context& context, Team& team, bool quick) : context_(context), team_(team), quick_(quick), hand_(team) {
    bool made;
    bsgp::check(make_ground(context_, &made));
    bsgp::check(ground_of(context_, &ground_));
  }

  bool run(const char* view, float detail) {
    bool found;
    bsgp::check(place_eye(context_, const_cast<char*>(view), 640, 480, &view_, &found));
    std::vector<Form> forms = {{"fork", [&] { bsgp::check(tessellate_forked(context_, detail)); }},
                               {"loops", [&] { bsgp::check(tessellate_looped(context_, detail)); }},
                               {"hand", [&] { hand_.tessellate(ground_, view_, 0.5f * detail); }}};
    for (Form& form : forms) {
      long before = peak();
      form.run();
      form.grown = peak() - before;
    }
    std::printf("{\"view\": \"%s\", \"detail\": %g, \"vertices\": %zu, \"faces\": %zu", view, double(detail),
                hand_.vertex_count(), hand_.face_count());
    bool same = compare(true) && compare(false);
    time(forms);
    for (const Form& form : forms) {
      std::printf(", \"%s_kb\": %ld, \"%s\": [", form.name, form.grown, form.name);
      for (size_t i = 0; i < form.ms.size(); ++i)
        std::printf("%s%.4f", i ? ", " : "", form.ms[i]);
      std::printf("]");
    }
    std::printf("}\n");
    std::fflush(stdout);
    return same;
  }

private:
  // Triangles exactly, vertices within what rounding leaves open.
  bool compare(bool fork) {
    Vertex* vertices;
    bsgp_int3* faces;
    int64_t vertex_count, face_count;
    bsgp::check(vertices_of(context_, fork, &vertices, &vertex_count));
    bsgp::check(faces_of(context_, fork, &faces, &face_count));
    bool same = size_t(vertex_count) == hand_.vertex_count() && size_t(face_count) == hand_.face_count();
    float off = 0;
    for (size_t i = 0; same && i < hand_.vertex_count(); ++i)
      off = std::max({off, farthest(vertices[i].at, hand_.vertices()[i].at),
                      farthest(vertices[i].normal, hand_.vertices()[i].normal)});
    same = same && off <= 1e-4f && !std::memcmp(faces, hand_.faces(), hand_.face_count() * sizeof(bsgp_int3));
    if (!same)
      std::fprintf(stderr, "%s: not the mesh of the C++ program; vertices are off by %g\n", fork ? "fork" : "loops",
                   double(off));
    return same;
  }

  // In turns: nobody is always behind the same one.
  void time(std::vector<Form>& forms) {
    bool alone = team_.size() == 1;
    for (int round = 0; round < (quick_ ? 5 : 21); ++round)
      for (size_t i = 0; i < forms.size(); ++i) {
        Form& form = forms[(size_t(round) + i) % forms.size()];
        double begin = now(alone);
        form.run();
        form.ms.push_back(now(alone) - begin);
      }
  }

  bsgp::Context& context_;
  Team& team_;
  bool quick_;
  ByHand hand_;
  Input ground_ = {};
  View view_ = {};
};

} // namespace
} // namespace bench

int main(int argc, char** argv) try {
  auto [quick, only] = bench::argumentsOf(argc, argv);
  bool same = true;
  bsgp::Context context; // one: the ground and its meshes belong to it
  bench::Team team;
  bench::Bench bench(context, team, quick);
  for (const char* view : bench::kViews)
    if (only.empty() || std::find(only.begin(), only.end(), view) != only.end())
      for (float detail : bench::kDetails)
        same &= bench.run(view, detail);
  return same ? 0 : 1;
} catch (const std::exception& exception) {
  std::fprintf(stderr, "%s\n", exception.what());
  return 2;
}
