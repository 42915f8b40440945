// The facts of a function's text from which host_locals.cpp decides which locals the host needs: the locals, the control flow, the
// jumps, and where each is used.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "sema/services.h"

namespace bsgp::sema {

struct HostFacts {
  // The memory of a variable's elements, by its text.
  enum class Elements : uint8_t {
    Own,     // parts of the variable: a write to them changes it
    Memory,  // behind a pointer or in a list: a write to them does not
    Unknown, // the host's variable of unknown type: memory if a computed number selects them
  };

  struct Local {
    std::string_view name{};
    const void* declaration = nullptr; // in device code: its declarator, or the assignment that made it
    bool wanted = false;               // the host needs it
    bool barred = false;               // assigned as a part of an expression, passed by reference, ...
    bool of_host = false;              // declared outside of device code
    SourcePos begin = 0;               // of its name, where it is declared
    bool returned = false;             // a collective returns it
    bool changed = false;              // assigned again
    bool of_thread = false;            // some value of it is a thread's own
    bool number = false;               // declared as one, or as a vector
    bool known = true;                 // its values are the host's as far as those of its sources are, by their text
    Elements elements = Elements::Own;
    const ast::TypeExpr* place =
        nullptr;                   // its type, if the host may have elements of it; null also if it is not written
    std::vector<size_t> sources{}; // the locals that its values are made of
    std::vector<size_t> flows{};   // flows in which it is declared and assigned
    bool isReturned() const { return returned && !changed; }
  };

  // An if, loop or switch of device code; the first entry stands for none.
  struct Flow {
    const ast::Stmt* stmt = nullptr;
    size_t around = 0;
    bool of_thread = false; // threads may take different edges
    bool in_thread = false; // they may, or those that reach it
    // it contains a barrier, a require or a collective, or a jump that leaves such control flow
    bool host = false;
    std::vector<size_t> sources{};        // the locals that its condition is made of
    std::string_view assigns{};           // it is the host's for the sake of this local
    const ast::Stmt* parted_by = nullptr; // threads may take different edges because of this break or continue
  };
  struct Jump {
    const ast::Stmt* stmt;
    size_t at, to;         // flows; `to` is 0 for a return
    size_t barriers;       // before it in the text
    bool followed = false; // a return, and more barriers come behind it in its spawn or collective
  };

  std::vector<Local> locals; // the parameters first
  std::vector<Flow> flows;   // the first one stands for none
  std::vector<Jump> jumps;
  std::unordered_map<SourcePos, HostLocals::ByThreads> barred_at; // by the place of a local's declaration
  bool gives_threads = false;                                     // a return gives each thread's own value
};

// Walks once over a function, with its scopes as Body sees them: the braces of par and require are none.
HostFacts hostFactsOf(Sema& sema, const ast::Function& function);

} // namespace bsgp::sema
