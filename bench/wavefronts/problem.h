// A work: inputs made once, and the forms that take turns on them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../kernels/kernel.h"
#include "../primitives/team.h"
#include "wavefronts.h"

namespace bench {

// The program's functions once more: without the word, and with other options for its loops.
#define FORMS_OF(name)                                                                                                 \
  extern "C" decltype(::name) name##_plain, name##_off, name##_all, name##_auto;                                       \
  constexpr Compiled<decltype(::name)> k_##name{name##_plain, name##_off, ::name, name##_all, name##_auto};

template <class Function> struct Compiled {
  Function *plain, *off, *marked, *all, *automatic;
};

FORMS_OF(sphere)
FORMS_OF(path)
FORMS_OF(walk)
FORMS_OF(collatz)
FORMS_OF(mandelbrot)
FORMS_OF(bvh_path)
FORMS_OF(rays)
FORMS_OF(neighbours)

struct WorkForm {
  const char* kind; // "plain", "off", "marked", "all", "auto": BSGP; "cpp", "hand": C++
  std::function<void()> run;
  bool isCompiled() const { return kind != std::string("cpp") && kind != std::string("hand"); } // by BSGP
};

struct Work {
  std::vector<WorkForm> forms;       // the first one is "plain"
  std::function<void()> spoil;       // fills the output with what no form computes
  std::function<std::string()> bits; // of the output
  std::shared_ptr<void> inputs = {}; // what they read
};

enum class Extent { Tiny, Quick, Full };

struct Size {
  Extent extent;
  int operator()(int full, int quick, int tiny) const {
    return extent == Extent::Full ? full : extent == Extent::Quick ? quick : tiny;
  }
};

struct Machine {
  bsgp_context* context;
  Team& team;
  Size size;
};

struct WorkEntry {
  std::string name;
  std::function<Work()> make; // when its turn comes
};

using Works = std::vector<WorkEntry>;

void addMarches(Works& to, const Machine& machine);
void addCounts(Works& to, const Machine& machine);
void addRays(Works& to, const Machine& machine);

constexpr size_t kPiece = 1024; // ranks that a thread of C++ claims

// A work of n threads, each of which writes an element of the output. one(rank): what it writes, in C++.
template <class T, class Function, class One, class... Arguments>
Work workOf(const Machine& machine, const Compiled<Function>& compiled, const std::shared_ptr<Array<T>>& output,
            const One& one, Arguments... arguments) {
  auto ours = [=, context = machine.context](Function* function) {
    return [=] { bsgp::check(function(context, output->data(), arguments...)); };
  };
  auto cpp = [=, team = &machine.team] {
    team->pieces(output->size(), kPiece, [out = output->data(), one](size_t begin, size_t end) {
      for (size_t rank = begin; rank < end; ++rank)
        out[rank] = one(int(rank));
    });
  };
  return {{{"plain", ours(compiled.plain)},
           {"off", ours(compiled.off)},
           {"marked", ours(compiled.marked)},
           {"all", ours(compiled.all)},
           {"auto", ours(compiled.automatic)},
           {"cpp", cpp}},
          [=] { std::fill_n(output->data(), output->size(), T(-12345)); },
          [=] { return std::string(reinterpret_cast<const char*>(output->data()), output->size() * sizeof(T)); }};
}

} // namespace bench
