// Parser of PTX text, in two layers: declarations, then the statements of a body.
#pragma once

#include "lexer.h"

namespace bsgp::emulator {

class Parser {
public:
  explicit Parser(std::string_view text) : lexer_(text) {}
  PtxModule parse();

private:
  // declarations (parser.cpp)
  void parseDirective();
  void parseTarget();
  void parseFunction(bool is_entry);
  void parseTuning(Function&);
  std::vector<Variable> parseParameters();
  Variable parseVariable(Space, bool is_extern);
  void parseArray(Variable&);
  void parseInitializer(Variable&);
  Initializer parseValue();
  void skipBraces();

  // bodies (parse_body.cpp)
  void parseBody(Function&);
  void parseStatement(Function&);
  void parseBodyDirective(Function&);
  void parseRegisters(Scope&);
  void parseBranchTargets(Function&, std::string_view label);
  void parseInstruction(Function&);
  Operand parseOperand();
  Operand parseName();
  Operand parseAddress();
  Operand parseParts(Operand::Kind, std::string_view close);
  Operand parseNumber();
  uint64_t parseOffset();

  Lexer lexer_;
  PtxModule module_;
  unsigned scope_ = 0; // the innermost open one
};

} // namespace bsgp::emulator
