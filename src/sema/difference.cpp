#include "sema/difference.h"

#include <array>

#include <fmt/format.h>

namespace bsgp::sema {

namespace {

constexpr std::array kRoots = {
    "",
    "'{}' is a variable of each thread",
    "'{}' is different in every thread",
    "'{}' differs between blocks",
    "'{}' differs between the threads of a block",
    "'thread.get' reads a variable of a thread",
    "memory read here may differ from thread to thread",
    "each thread reads memory of its own here",
    "an assignment is no uniform value",
    "an address inside a thread is no uniform value",
    "'{}' gives each thread a value of its own",
    "the call of '{}' runs in each thread",
    "this call runs in each thread",
    "the threads were numbered anew since '{}' got its value",
    "'{}' can change behind its address",
    "the warps of a block exchange values of their own",
    "an asm gives each thread a value of its own",
    "each thread appends to a place of its own",
    "'atomic_load' may find another value in each thread",
    "an atomic operation gives each thread a value of its own",
    "the function has more than 64 parameters",
    "'{}' is changed here as only a thread can: in the middle of an expression",
    "'{}' is changed here as only a thread can: by reference or by its address",
    "some threads take this '{}', and the others do not",
};
static_assert(kRoots.size() == Difference::TakenBySome + 1);

constexpr std::array kSteps = {
    "{1}",
    "'{0}' gives a value that can differ: {1}",
    "'{0}' gets its value here, and {1}",
    "'{0}' gets a value here, under a condition that can differ: {1}",
    "this '{0}' stands under a condition that can differ: {1}",
};
static_assert(kSteps.size() == Difference::JumpUnder + 1);

} // namespace

std::string textOf(const Difference& difference) {
  std::string root = fmt::format(fmt::runtime(kRoots[difference.root]), difference.name);
  return fmt::format(fmt::runtime(kSteps[difference.step]), difference.through, root);
}

} // namespace bsgp::sema
