// Parser: the statements of a function.
#include "parser.h"

namespace bsgp::emulator {

void Parser::parseBody(Function& function) {
  lexer_.expect("{");
  function.defined = true;
  function.scopes.emplace_back();
  scope_ = 0;
  while (!lexer_.accept("}"))
    parseStatement(function);
}

void Parser::parseStatement(Function& function) {
  if (lexer_.accept(";"))
    return;
  if (lexer_.accept("{")) {
    unsigned outer = scope_;
    scope_ = static_cast<unsigned>(function.scopes.size());
    function.scopes.emplace_back().parent = static_cast<int>(outer);
    while (!lexer_.accept("}"))
      parseStatement(function);
    scope_ = outer;
    return;
  }
  if (lexer_.peek().text.starts_with('.'))
    return parseBodyDirective(function);
  parseInstruction(function);
}

void Parser::parseBodyDirective(Function& function) {
  std::string_view word = lexer_.word();
  Scope& scope = function.scopes[scope_];
  auto declare = [&](Space space) {
    do {
      Variable variable = parseVariable(space, false);
      scope.variables[variable.name] = variable;
    } while (lexer_.accept(","));
  };
  if (word == ".loc" || word == ".file")
    return lexer_.skipLine();
  if (word == ".reg")
    parseRegisters(scope);
  else if (word == ".param")
    declare(Space::param);
  else if (word == ".local")
    declare(Space::local);
  else if (word == ".shared")
    declare(Space::shared);
  else if (word == ".pragma")
    lexer_.take();
  else
    lexer_.fail("unknown directive before this: " + std::string(word));
  lexer_.expect(";");
}

// .reg .b32 %r<5>, %x;
void Parser::parseRegisters(Scope& scope) {
  Register reg;
  for (std::string_view word; lexer_.peek().text.starts_with('.');) {
    word = lexer_.word().substr(1);
    if (word == "v2" || word == "v4")
      reg.vector = word == "v2" ? 2 : 4;
    else if (reg.type = typeOf(word); reg.type == Type::none)
      lexer_.fail("unknown type before this: ." + std::string(word));
  }
  do {
    std::string_view name = lexer_.word();
    scope.registers[name] = reg;
    if (lexer_.accept("<")) {
      scope.registers.erase(name);
      scope.ranges.push_back({name, static_cast<uint32_t>(lexer_.integer()), reg});
      lexer_.expect(">");
    }
  } while (lexer_.accept(","));
}

void Parser::parseBranchTargets(Function& function, std::string_view label) {
  auto& targets = function.scopes[scope_].targets[label];
  do
    targets.push_back(lexer_.word());
  while (lexer_.accept(","));
  lexer_.expect(";");
}

void Parser::parseInstruction(Function& function) {
  Instruction instruction;
  instruction.scope = scope_;
  if (lexer_.accept("@")) {
    instruction.guard_negated = lexer_.accept("!");
    instruction.guard = lexer_.word();
  }
  instruction.line = lexer_.peek().line;
  instruction.opcode = lexer_.word();
  if (lexer_.accept(":")) {
    if (lexer_.accept(".branchtargets"))
      return parseBranchTargets(function, instruction.opcode);
    if (lexer_.peek().is(".callprototype"))
      lexer_.fail("calls of functions that are not named are not supported");
    auto& labels = function.scopes[scope_].labels;
    if (!labels.emplace(instruction.opcode, static_cast<uint32_t>(function.code.size())).second)
      throw PtxError{instruction.line, "a second label " + std::string(instruction.opcode)};
    return;
  }
  while (!lexer_.peek().is(";")) {
    instruction.operands.push_back(parseOperand());
    if (!lexer_.peek().is(";"))
      lexer_.expect(",");
  }
  const char* begin = instruction.opcode.data();
  instruction.text = {begin, static_cast<size_t>(lexer_.take().text.data() - begin)};
  function.code.push_back(std::move(instruction));
}

Operand Parser::parseOperand() {
  if (lexer_.accept("["))
    return parseAddress();
  if (lexer_.accept("{"))
    return parseParts(Operand::Vector, "}");
  if (lexer_.accept("("))
    return parseParts(Operand::List, ")");
  if (lexer_.accept("!")) {
    Operand operand = parseName();
    operand.negated = true;
    return operand;
  }
  return lexer_.peek().kind == Token::Word ? parseName() : parseNumber();
}

Operand Parser::parseName() {
  Operand operand;
  operand.name = lexer_.word();
  if (operand.name == "_")
    operand.kind = Operand::Sink;
  if (lexer_.accept("|"))
    operand.second = lexer_.word();
  operand.value = parseOffset();
  return operand;
}

Operand Parser::parseNumber() {
  Operand operand;
  bool negative = lexer_.accept("-");
  Token token = lexer_.take();
  operand.value = token.value;
  if (token.kind == Token::Integer)
    operand.kind = Operand::Integer;
  else if (token.kind == Token::Single)
    operand.kind = Operand::Single;
  else if (token.kind == Token::Double)
    operand.kind = Operand::Double;
  else
    throw PtxError{token.line, "expected an operand at '" + std::string(token.text) + "'"};
  if (negative && token.kind == Token::Integer)
    operand.value = 0 - operand.value;
  else if (negative)
    operand.value ^= token.kind == Token::Single ? uint64_t(1) << 31 : uint64_t(1) << 63;
  return operand;
}

// [base], [base+4], [base+-4], [16]
Operand Parser::parseAddress() {
  Operand operand;
  operand.kind = Operand::Address;
  if (lexer_.peek().kind == Token::Word) {
    operand.name = lexer_.word();
    operand.value = parseOffset();
  } else {
    operand.value = lexer_.integer();
  }
  lexer_.expect("]");
  return operand;
}

uint64_t Parser::parseOffset() {
  if (lexer_.accept("+"))
    return lexer_.integer();
  return lexer_.peek().is("-") ? lexer_.integer() : 0;
}

Operand Parser::parseParts(Operand::Kind kind, std::string_view close) {
  Operand operand;
  operand.kind = kind;
  while (!lexer_.accept(close)) {
    operand.parts.push_back(parseOperand());
    if (!lexer_.peek().is(close))
      lexer_.expect(",");
  }
  return operand;
}

} // namespace bsgp::emulator
