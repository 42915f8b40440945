// Messages of a kind in other words than those of the kind.
#pragma once

#include <string>
#include <utility>

#include "diag/diagnostics.h"

namespace bsgp::sema {

// Replaces the message and the help of all that was reported since the mark. An empty text leaves what is there.
inline void rewordSince(Diagnostics& diagnostics, const Diagnostics::Mark& before, std::string text, std::string help) {
  for (Diagnostic& message : diagnostics.takeSince(before)) {
    if (!text.empty())
      message.message = text;
    if (!help.empty())
      message.help = help;
    diagnostics.put(std::move(message));
  }
}

} // namespace bsgp::sema
