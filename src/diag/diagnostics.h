// The diagnostics engine: every message is declared once, in a *.def file of this folder, with a kind, a severity, a
// text and a help. Phases report and go on; they do not throw.
//
// The folder `diag` takes a kind, a range and arguments; gives the list of reported messages, and its rendering with
// lines of the source. The phases decide which mistakes exist, and the driver where messages are written to. Failures
// of the environment are no diagnostics: support/result.h.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "support/source.h"

namespace bsgp {

enum class Severity : uint8_t { Note, Warning, Error };

// DIAG(kind, severity, "message with {} places", "what to do, or empty")
enum class Diag : uint16_t {
#define DIAG(kind, severity, message, help) kind,
#include "diag/messages.def"
#undef DIAG
};

struct Diagnostic {
  Diag kind;
  Severity severity;
  SourceRange range;
  std::string message;
  std::string help; // empty: none
};

// Which warnings are left out, and which stop a program as errors do. Kinds as in the .def files.
struct WarningPolicy {
  bool none = false;       // no warnings
  bool all_errors = false; // each one stops the program
  std::vector<std::string> off, errors;

  bool leavesOut(std::string_view kind) const;
  bool stopsAt(std::string_view kind) const;
  std::string text() const; // equal for equal ones
};

class Diagnostics {
public:
  explicit Diagnostics(const SourceManager& sources) : sources_(sources) {}

  // Reports one message. Arguments fill the {} of the message; {N} numbering works, and the help text may use them too.
  template <class... Args> void report(Diag kind, SourceRange range, const Args&... args) {
    add(kind, range, fmt::make_format_args(args...));
  }

  // Takes back messages reported since a mark, so that they can be reported in another way.
  struct Mark {
    size_t size;
    unsigned errors, warnings, stopping_warnings;
  };
  Mark mark() const { return {list_.size(), errors_, warnings_, stopping_warnings_}; }
  std::vector<Diagnostic> takeSince(const Mark& mark);
  void put(Diagnostic message); // a message that was taken back, or a changed one

  // Replaces the help of each message that is reported from now on, which is otherwise the one declared with its
  // kind.
  void setHelp(std::function<std::string(const Diagnostic&)> help) { help_ = std::move(help); }
  void setPolicy(WarningPolicy policy) { policy_ = std::move(policy); } // of messages reported from now on
  bool hasErrors() const { return errors_ != 0; }
  // true if the program is not to be compiled further
  bool stop() const { return errors_ != 0 || stopping_warnings_ != 0; }
  unsigned errors() const { return errors_; }
  // with those dropped because another message of the place was reported
  unsigned mistakes() const { return errors_ + repeats_; }
  const std::vector<Diagnostic>& all() const { return list_; }
  const SourceManager& sources() const { return sources_; }

  // "file:line:column: error: message [kind]", the line, the caret, "help: ..." for each; notes follow their message.
  std::string render(bool color = false) const;

private:
  void add(Diag kind, SourceRange range, fmt::format_args args);
  const SourceManager& sources_;
  std::vector<Diagnostic> list_; // capped at 100 errors, the rest counted; a repeat at one place is dropped
  unsigned errors_ = 0, warnings_ = 0, repeats_ = 0, stopping_warnings_ = 0;
  WarningPolicy policy_;
  std::function<std::string(const Diagnostic&)> help_; // empty: as declared
  bool dropping_notes_ = false;                        // the message that the next notes belong to was dropped
};

// The word for a kind, as it stands in the .def file.
std::string_view diagName(Diag kind);

std::vector<std::string_view> warningNames(); // of all kinds that are warnings

} // namespace bsgp
