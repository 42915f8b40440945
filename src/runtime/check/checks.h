// The checks of --check, as the rest of the runtime and the compiler see them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "runtime/watch.h"
#include "support/result.h"

namespace bsgp::runtime::check {

// Reads names with commas between them as bits of bsgp_check_kind: "race,bounds". "1", "true" and "all" are the usual
// ones, "0", "off" and "" are none.
Result<uint32_t> kindsOf(std::string_view list);

// Makes the watch of a context; null: nothing is checked. `wanted` is a list of kinds, or null: then BSGP_CHECK decides,
// and then the checks that the program was compiled with. Reads BSGP_CHECK_LIMIT and BSGP_CHECK_JSON, too.
Result<std::unique_ptr<Watch>> makeChecks(const char* wanted);

// True if a context of this process was made whose options, or BSGP_CHECK, ask for no checks.
bool checksWereDeclined();

// Records that code was made in this process that looks for these: bits of bsgp_check_kind.
void codeLooksFor(uint32_t kinds);

// Says that there is no memory for the checks, and ends the process with status 1: kernels that ask for them cannot fail.
[[noreturn]] void endWithoutMemoryForChecks() noexcept;

// Records that a program was compiled in this process from a text of that name, which need not be a file, so that reports
// can show its lines. The last 256 names are remembered.
void rememberSource(const std::string& name, const std::string& text);

} // namespace bsgp::runtime::check
