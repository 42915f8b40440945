// ray_tracer [--quick] [SCENE...]: trees and rays of examples/ray_tracer and Embree's, in turns; a line of JSON for each.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>

#include <bsgp/bsgp.hpp>

#include "../../program.h"
#include "embree.h"

namespace bench {
namespace {

struct SceneSize {
  const char *name, *scene;
  float detail;
  int size, bounces;
};

constexpr SceneSize kScenes[] = {{"forest", "forest", 1, 1024, 0},
                                 {"robots", "robots", 1, 1024, 1},
                                 {"kitchen", "kitchen", 1, 1024, 4},
                                 {"forest of 1 M", "forest", 5.75f, 1024, 0}};
constexpr const char* kKinds[] = {"eye", "bounced", "shadow"};

struct Timed {
  std::string name;
  std::function<void()> run;
  std::vector<double> ms = {};
};

// In turns: nobody is always behind the same one.
void timeAll(std::vector<Timed>& forms, int rounds, bool alone) {
  for (int round = 0; round < rounds; ++round)
    for (size_t i = 0; i < forms.size(); ++i) {
      Timed& form = forms[(size_t(round) + i) % forms.size()];
      double begin = now(alone);
      form.run();
      form.ms.push_back(now(alone) - begin);
    }
}

void print(const std::vector<Timed>& forms) {
  for (const Timed& form : forms) {
    std::printf(", \"%s\": [", form.name.c_str());
    for (size_t i = 0; i < form.ms.size(); ++i)
      std::printf("%s%.4f", i ? ", " : "", form.ms[i]);
    std::printf("]");
  }
  std::printf("}\n");
  std::fflush(stdout);
}

// How hits compare: the same, or another triangle as far away; at other places; there for one alone.
struct Compared {
  size_t ties = 0, elsewhere = 0, lost = 0, gained = 0;
};

Compared compare(const Hit* ours, const Hit* theirs, size_t n, bool places) {
  Compared c;
  for (size_t i = 0; i < n; ++i) {
    const Hit &a = ours[i], &b = theirs[i];
    if ((a.triangle < 0) != (b.triangle < 0))
      ++(a.triangle < 0 ? c.lost : c.gained);
    else if (places && a.triangle != b.triangle)
      ++(std::fabs(a.t - b.t) <= 1e-4f * a.t ? c.ties : c.elsewhere);
  }
  return c;
}

class Bench {
public:
  Bench(bsgp::Context& context, Team& team, const SceneSize& scene, bool quick)
      : context_(context), team_(team), scene_(scene), quick_(quick), alone_(team.size() == 1),
        fast_(team.size(), false), robust_(team.size(), true) {}

  void run() {
    bool made;
    bsgp::check(make_scene(context_, const_cast<char*>(scene_.scene), scene_.detail, &made));
    Triangle* triangles;
    int64_t n;
    bsgp::check(triangles_of(context_, &triangles, &n));
    fast_.take(triangles, size_t(n));
    robust_.take(triangles, size_t(n));
    trees(n);
    bsgp::check(collect_rays(context_, quick_ ? scene_.size / 4 : scene_.size, scene_.bounces));
    for (int kind = EYE; kind <= SHADOW; ++kind)
      rays(kind);
  }

private:
  enum { EYE, BOUNCED, SHADOW };

  void trees(int64_t n) {
    robust_.build();
    std::vector<Timed> forms = {{"ours", [&] { bsgp::check(build_tree(context_)); }},
                                {"embree", [&] { fast_.build(); }}};
    timeAll(forms, quick_ ? 2 : 5, alone_);
    int64_t bytes;
    bsgp::check(bytes_of_tree(context_, &bytes));
    std::printf(
        "{\"scene\": \"%s\", \"triangles\": %ld, \"bytes\": %ld, \"embree_bytes\": %zu, \"embree_robust_bytes\": %zu",
        scene_.name, long(n), long(bytes), fast_.bytes(), robust_.bytes());
    print(forms);
  }

  Timed peer(const char* name, const Embree& embree, Form form, int kind, const Ray* from, size_t n, Hit* hits) {
    return {name, [=, this, &embree] {
              kind == SHADOW ? embree.any(team_, form, from, n, hits)
                             : embree.nearest(team_, form, kind == EYE, from, n, hits);
            }};
  }

  void rays(int kind) {
    Ray* from;
    int64_t n;
    bsgp::check(rays_of(context_, kind, &from, &n));
    if (n == 0)
      return;
    bsgp::DeviceArray<Hit> ours(context_, size_t(n)), theirs(context_, size_t(n));
    Hit *hits = ours.data(), *others = theirs.data();
    auto* trace = kind == SHADOW ? trace_any : trace_nearest;
    std::vector<Timed> forms = {{"ours", [=, this] { bsgp::check(trace(context_, from, n, hits)); }},
                                peer("single", fast_, Form::single, kind, from, size_t(n), others),
                                peer("packets", fast_, Form::packets, kind, from, size_t(n), others),
                                peer("robust", robust_, Form::single, kind, from, size_t(n), others),
                                peer("robust_packets", robust_, Form::packets, kind, from, size_t(n), others)};
    std::printf("{\"scene\": \"%s\", \"kind\": \"%s\", \"rays\": %ld", scene_.name, kKinds[kind], long(n));
    for (const Timed& form : forms) {
      form.run();
      Compared c = compare(hits, others, size_t(n), kind != SHADOW);
      if (&form != &forms[0])
        std::printf(", \"hits_%s\": [%zu, %zu, %zu, %zu]", form.name.c_str(), c.ties, c.elsewhere, c.lost, c.gained);
    }
    timeAll(forms, quick_ ? 5 : 11, alone_);
    print(forms);
  }

  bsgp::Context& context_;
  Team& team_;
  SceneSize scene_;
  bool quick_, alone_;
  Embree fast_, robust_;
};

} // namespace
} // namespace bench

int main(int argc, char** argv) try {
  auto [quick, only] = bench::argumentsOf(argc, argv);
  bsgp::Context context; // one: the scene and its tree belong to it
  bench::Team team;
  for (const bench::SceneSize& scene : bench::kScenes)
    if (only.empty() || std::find(only.begin(), only.end(), scene.name) != only.end())
      bench::Bench(context, team, scene, quick).run();
  int rays = quick ? 1000000 : 10000000, escaped;
  bsgp::check(escapes(context, rays, &escaped));
  std::printf("{\"inside\": %d, \"escaped\": %d}\n", rays, escaped);
  return escaped ? 1 : 0;
} catch (const std::exception& exception) {
  std::fprintf(stderr, "%s\n", exception.what());
  return 2;
}
