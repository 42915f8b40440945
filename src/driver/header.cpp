#include "driver/header.h"

#include <cctype>
#include <set>

#include <fmt/format.h>

namespace bsgp::driver {

namespace {

class Header {
public:
  explicit Header(const Program& program) : program_(program) {}

  std::string text(const std::string& name) {
    for (const Function* f : program_.functions) {
      if (!f->is_export)
        continue;
      for (const Variable* param : f->params)
        need(param->type);
      need(f->result);
    }
    std::string guard;
    for (char c : name)
      guard += std::isalnum(static_cast<unsigned char>(c)) ? static_cast<char>(std::toupper(c)) : '_';
    if (!guard.empty() && std::isdigit(static_cast<unsigned char>(guard[0])))
      guard = "_" + guard;
    std::string out = fmt::format("/* Made by bsgpc: the functions exported by a BSGP program. */\n#ifndef {0}\n#define {0}\n\n"
                                  "#include <bsgp/bsgp.h>\n#include <stdint.h>\n#ifndef __cplusplus\n#include <stdbool.h>\n#endif\n\n"
                                  "#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n",
                                  guard);
    out += types_;
    for (const Function* f : program_.functions)
      if (f->is_export)
        out += prototype(*f);
    return out + fmt::format("#ifdef __cplusplus\n}}\n#endif\n\n#endif\n");
  }

private:
  std::string vectorName(const Type* type) { return "bsgp_" + typeName(type); }

  // Declares the structs and vectors a type is made of, once each, parts first.
  void need(const Type* type) {
    if (!type)
      return;
    if (type->isVector() && seen_.insert(vectorName(type)).second) {
      static constexpr const char* kLanes[] = {"x", "y", "z", "w"};
      std::string lanes;
      for (uint64_t i = 0; i < type->count; ++i)
        lanes += fmt::format("{}{}", i ? ", " : "", kLanes[i]);
      std::string guard = "BSGP_TYPE_" + vectorName(type);
      types_ += fmt::format("#ifndef {2}\n#define {2}\ntypedef struct {0} {{\n  {1} {3};\n}} {0};\n#endif\n\n", vectorName(type),
                            plain(type->element), guard, lanes);
    }
    if (type->element && !type->isVector())
      need(type->element);
    if (!type->isStruct() || !seen_.insert(std::string(type->structure->name)).second)
      return;
    std::string fields;
    for (const StructField& field : type->structure->fields) {
      if (!(field.type->isPointer() && field.type->element == type))
        need(field.type);
      fields += "  " + declared(field.type, std::string(field.name)) + ";\n";
    }
    types_ += fmt::format("typedef struct {0} {{\n{1}}} {0};\n\n", type->structure->name, fields);
  }

  std::string plain(const Type* type) {
    if (type->isBool())
      return "bool";
    if (type->isInt())
      return fmt::format("{}int{}_t", type->is_signed ? "" : "u", type->bits);
    if (type->isFloat())
      return type->bits == 16 ? "uint16_t /* half */" : type->bits == 32 ? "float" : "double";
    if (type->isVector())
      return vectorName(type);
    if (type->isStruct())
      return "struct " + std::string(type->structure->name);
    if (type->isPointer())
      return (type->element->isInt() && type->element->bits == 8 && type->element->is_signed && spaceOf(type) == Space::Host
                  ? "char"
                  : plain(type->element)) +
             (spaceOf(type) == Space::Device ? "* /* device */" : "*");
    return "void";
  }

  std::string declared(const Type* type, const std::string& name) {
    std::string suffix;
    for (; type->isArray(); type = type->element)
      suffix += fmt::format("[{}]", type->count);
    return plain(type) + " " + name + suffix;
  }

  std::string prototype(const Function& f) {
    std::string params = "bsgp_context* context";
    for (const Variable* param : f.params) {
      bool by_pointer = param->type->isStruct() || param->type->isVector();
      std::string name(param->name);
      params += ", " + (by_pointer && !param->by_reference ? "const " + plain(param->type) + "* " + name
                        : param->by_reference              ? plain(param->type) + "* " + name
                                                           : declared(param->type, name));
    }
    if (!f.result->isVoid())
      params += ", " + plain(f.result) + "* result";
    return fmt::format("/* BSGP_OK, or a status whose message bsgp_error_message() tells. */\nbsgp_status {}({});\n\n", f.symbol, params);
  }

  const Program& program_;
  std::set<std::string> seen_;
  std::string types_;
};

} // namespace

std::string headerText(const Program& program, const std::string& name) { return Header(program).text(name); }

} // namespace bsgp::driver
