// Step 1 of the paper's section 4.2: calls of collective functions are inlined, the arms of par merged, every spawn
// becomes supersteps and the edges between them.
//
// The folder `expand` takes Program; gives FlatProgram (flat.h), the same functions and expressions with spawns as
// lists of supersteps. It numbers requires and binds each read of a host variable to one of them. Ordinary calls in
// device code stay calls: irgen expands those.
#pragma once

#include "diag/diagnostics.h"
#include "expand/flat.h"

namespace bsgp::expand {

struct Options {
  size_t max_supersteps = 10'000;
  size_t max_nodes = 2'000'000; // of the tree, made by inlining in one spawn
};

FlatProgram expand(std::unique_ptr<Program> program, const Options& options, Diagnostics& diagnostics);

std::string text(const FlatProgram& flat, const SourceManager& sources); // `emit flat`

} // namespace bsgp::expand
