// The exported functions of a program as facts, for callers that learn at run time what a function takes: names, types, sizes. What a
// thing is, is a field here, never the spelling of a name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sema/program.h"
#include "support/source.h"

namespace bsgp::compile {

struct FieldFacts {
  std::string name;
  uint32_t type = 0; // index into Interface::types
  uint64_t offset = 0;
};

// Each field is that of bsgp_type.
struct TypeFacts {
  int32_t kind = 0, dtype = -1;
  std::string text;
  uint64_t size = 0, align = 1, count = 0;
  bool on_device = false, is_const = false;
  int32_t element = -1; // index into Interface::types
  std::vector<FieldFacts> fields;
};

struct ParameterFacts {
  std::string name;
  uint32_t type = 0;
  bool by_reference = false, is_const = false;
};

struct ExportFacts {
  std::string name, symbol, file, text;
  uint32_t line = 0, result = 0;
  std::vector<ParameterFacts> parameters;
};

struct Interface {
  std::vector<TypeFacts> types; // each once; structs may lead to themselves
  std::vector<ExportFacts> exports;
};

// For a program that passed checkExports.
Interface interfaceOf(const Program& program, const SourceManager& sources);

// "void scale(device float* data, int n)", as the program declares it
std::string signatureOf(const Function& function);

std::string entryOf(const Interface& interface);
Interface interfaceOf(std::string_view entry); // throws nlohmann::json::exception if the entry is damaged

} // namespace bsgp::compile
