// The analysis of a program, which goes on behind sema: passes over the typed program make calls of library functions by it.
//
//   Analysis analysis(tree, options, diagnostics);
//   Expr* half = ...;                                          // a value in the device code of a spawn
//   Expr* split = analysis.call(main, spawn, "thread.split", {half}, spawn.range);
//   ...                                                        // put into the spawn's statements
//   flat = expand::expand(analysis.take(), {}, diagnostics);   // which expands the collectives among the calls
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "sema/nodes.h"
#include "sema/sema.h"

namespace bsgp::sema {

struct Sema;

class Analysis {
public:
  // Checks the program, as analyze does. The tree and the diagnostics must live as long as this.
  Analysis(const ast::Program& tree, Options options, Diagnostics& diagnostics);
  ~Analysis();

  Program& program() { return *program_; }
  Nodes& nodes(); // makes nodes of the program

  // A call of a library function with values of device code, to stand in `spawn` of the host function `in`. Makes the instance for the
  // types of the values where there is none. `range` is the place of the call in messages. Where no function takes these values that is
  // reported, and the call has the type 'error'.
  //
  // A collective may stand in control flow of the host's alone: the pass sets Stmt::host of what is around the call.
  Expr* call(Function& in, const Stmt& spawn, std::string_view name, const std::vector<Expr*>& values,
             SourceRange range);

  // Hands the program on. Nothing can be called afterwards.
  std::unique_ptr<Program> take();

private:
  class Reached;

  Options options_;
  std::unique_ptr<Program> program_;
  std::unique_ptr<Sema> sema_;
  std::unique_ptr<Reached> reached_; // null before the first call
};

} // namespace bsgp::sema
