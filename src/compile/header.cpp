#include "compile/header.h"

#include <cctype>
#include <deque>
#include <set>

#include <fmt/format.h>

#include "compile/c_names.h"
#include "compile/interface.h"

namespace bsgp::compile {

namespace {

constexpr const char* kOpening = R"(#include <bsgp/bsgp.h>
#include <stdint.h>
#ifndef __cplusplus
#include <stdbool.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

)";

constexpr const char* kSizeCheck = R"(#ifndef BSGP_CHECK_SIZE
#if defined(__cplusplus)
#define BSGP_CHECK_SIZE(type, bytes) static_assert(sizeof(type) == bytes, "C and BSGP differ in the size of " #type)
#define BSGP_ALIGNED(bytes) alignas(bytes)
#else
#define BSGP_CHECK_SIZE(type, bytes) _Static_assert(sizeof(type) == bytes, "C and BSGP differ in the size of " #type)
#define BSGP_ALIGNED(bytes) _Alignas(bytes)
#endif
#endif

)";

// The same on every machine and in every version of the compiler.
uint32_t hash(std::string_view text) {
  uint32_t value = 2166136261u;
  for (char c : text)
    value = (value ^ static_cast<uint8_t>(c)) * 16777619u;
  return value;
}

std::string baseName(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

class Header {
public:
  Header(const Program& program, const SourceManager& sources) : program_(program), sources_(sources) {}

  std::string text(const std::string& name) {
    for (const Function* f : program_.functions)
      if (f->is_export)
        functions_.insert(allowedInC(f->symbol));
    std::string prototypes;
    for (const Function* f : program_.functions) {
      if (!f->is_export)
        continue;
      for (const Variable* param : f->params)
        need(param->type);
      need(f->result);
      prototypes += prototype(*f);
    }
    while (!pointed_at_.empty()) {
      const Type* type = pointed_at_.front();
      pointed_at_.pop_front();
      need(type);
    }
    std::string guard = guardOf(name);
    return fmt::format(
        "/* Made by bsgpc: the functions exported by a BSGP program. Each returns BSGP_OK, or a status whose message\n"
        " * bsgp_error_message() tells. context: NULL is the default one. Pointers marked device come from bsgp_alloc. "
        "*/\n"
        "#ifndef {0}\n#define {0}\n\n{1}{2}{3}{4}#ifdef __cplusplus\n}}\n#endif\n\n#endif\n",
        guard, kOpening, types_.empty() ? "" : kSizeCheck, types_, prototypes);
  }

private:
  static std::string guardOf(const std::string& name) {
    std::string guard = "BSGP_HEADER_";
    for (char c : name)
      guard += std::isalnum(static_cast<unsigned char>(c)) ? static_cast<char>(std::toupper(c)) : '_';
    return guard;
  }

  static std::string vectorName(const Type* type) { return "bsgp_" + typeName(type); }
  static std::string structName(const Type* type) {
    std::string name = nameInC(type);
    return type->isView() ? name : allowedInC(name);
  }

  // Defines the structs and vectors that a type is made of, once each, parts first. What is only pointed at comes
  // later: structs may point at each other.
  void need(const Type* type) {
    for (; type->isArray(); type = type->element)
      ;
    if (type->isPointer()) {
      for (; type->isPointer() || type->isArray(); type = type->element)
        ;
      if (type->isStruct() || type->isVector())
        pointed_at_.push_back(type);
    } else if (type->isVector() && defined_.insert(vectorName(type)).second) {
      define(vectorName(type), lanes(type), type->size);
    } else if (type->isStruct() && defined_.insert(structName(type)).second) {
      std::string fields;
      for (const StructField& field : type->structure->fields) {
        need(field.type);
        fields += fmt::format("  {};{}\n", declared(field.type, allowedInC(field.name)), deviceMark(field.type));
      }
      define(structName(type), fields, type->size);
    }
  }

  // Vectors of two and four are aligned as a whole, as their first lane is.
  std::string lanes(const Type* vector) {
    static constexpr const char* kLanes[] = {"x", "y", "z", "w"};
    std::string scalar = base(vector->element);
    bool aligned = vector->align != vector->element->align;
    std::string text = aligned ? fmt::format("  BSGP_ALIGNED({}) {} x;\n", vector->align, scalar) : std::string();
    text += "  " + scalar;
    for (uint64_t i = aligned; i < vector->count; ++i)
      text += fmt::format("{} {}", i == aligned ? "" : ",", kLanes[i]);
    return text + ";\n";
  }

  void define(const std::string& name, const std::string& fields, uint32_t size) {
    std::string guard = fmt::format("BSGP_TYPE_{}_{:08x}", name, hash(fields));
    types_ += fmt::format("#ifndef {0}\n#define {0}\nstruct {1} {{\n{2}}};\n", guard, name, fields);
    if (!functions_.count(name)) // in C the two would meet in one name space
      types_ += fmt::format("typedef struct {0} {0};\n", name);
    types_ += fmt::format("BSGP_CHECK_SIZE(struct {}, {});\n#endif\n\n", name, size);
  }

  static const char* deviceMark(const Type* type) {
    for (; type->isArray(); type = type->element)
      ;
    return type->isPointer() && spaceOf(type) == Space::Device ? " /* device */" : "";
  }

  // Everything but arrays, and pointers to them.
  std::string base(const Type* type) {
    if (type->isBool())
      return "bool";
    if (type->isInt())
      return fmt::format("{}int{}_t", type->is_signed ? "" : "u", type->bits);
    if (type->isFloat())
      return type->bits == 16 ? "uint16_t" : type->bits == 32 ? "float" : "double"; // half: its bits
    if (type->isVector())
      return "struct " + vectorName(type);
    if (type->isStruct())
      return "struct " + structName(type);
    if (!type->isPointer() || type->element->isArray())
      return type->isPointer() ? "void*" : "void";
    bool text =
        type->element->isInt() && type->element->bits == 8 && type->element->is_signed && spaceOf(type) == Space::Host;
    std::string element = text ? "char" : base(type->element);
    if (type->to_const)
      element = type->element->isPointer() ? element + " const" : "const " + element;
    return element + "*";
  }

  std::string declared(const Type* type, const std::string& name) {
    std::string declarator = name;
    bool to_const = false;
    if (type->isPointer() && type->element->isArray()) {
      declarator = "(*" + name + ")";
      to_const = type->to_const;
      type = type->element;
    }
    for (; type->isArray(); type = type->element)
      declarator += fmt::format("[{}]", type->count);
    return (to_const ? "const " : "") + base(type) + " " + declarator;
  }

  // These parameters come by address and are not changed.
  static std::string constWord(const Variable& param) { return param.by_reference && !param.is_const ? "" : "const "; }

  std::string parameter(const Variable& param) {
    std::string name = allowedInC(param.name);
    const Type* type = param.type;
    if (type->isStruct() || type->isVector() || (param.by_reference && !type->isArray()))
      return constWord(param) + base(type) + "* " + name;
    return (type->isArray() ? constWord(param) : "") + declared(type, name) + deviceMark(type);
  }

  // As the program declares it, and where.
  std::string comment(const Function& f) {
    LineColumn at = sources_.at(f.range.begin);
    return fmt::format("/* {}:{}: {} */\n", baseName(at.file), at.line, signatureOf(f));
  }

  std::string prototype(const Function& f) {
    std::set<std::string> names;
    for (const Variable* param : f.params)
      names.insert(allowedInC(param->name));
    auto unused = [&](std::string name) {
      while (names.count(name))
        name += "_";
      return name;
    };
    std::string params = "bsgp_context* " + unused("context");
    for (const Variable* param : f.params)
      params += ", " + parameter(*param);
    if (!f.result->isVoid())
      params += fmt::format(", {}* {}", base(f.result), unused("result"));
    std::string name = allowedInC(f.symbol);
    std::string symbol = name == f.symbol ? "" : fmt::format(" __asm__(\"{}\")", f.symbol);
    return fmt::format("{}bsgp_status {}({}){};\n\n", comment(f), name, params, symbol);
  }

  const Program& program_;
  const SourceManager& sources_;
  std::set<std::string> functions_, defined_;
  std::deque<const Type*> pointed_at_;
  std::string types_;
};

} // namespace

std::string headerText(const Program& program, const SourceManager& sources, const std::string& name) {
  return Header(program, sources).text(name);
}

} // namespace bsgp::compile
