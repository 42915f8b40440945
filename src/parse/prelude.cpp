#include "parse/prelude.h"

#include "parse/parser.h"

namespace bsgp {

Prelude::Prelude(std::span<const LibraryFile> files, std::span<const LibraryFile> library) {
  Diagnostics diagnostics(sources_);
  ParseOptions options;
  options.library.assign(library.begin(), library.end());
  Parser parser(sources_, arena_, diagnostics, options);
  tree_ = parser.runPrelude(files);
  names_ = parser.takeNames();
  messages_ = diagnostics.all();
}

} // namespace bsgp
