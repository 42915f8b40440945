#include "parser.h"

#include <algorithm>

namespace bsgp::emulator {

PtxModule parsePtx(std::string_view text) {
  return Parser(text).parse();
}

PtxModule Parser::parse() {
  while (lexer_.peek().kind != Token::End)
    parseDirective();
  if (!module_.version || !module_.sm)
    throw PtxError{1, "there is no .version or no .target"};
  return std::move(module_);
}

void Parser::parseTarget() {
  std::string_view name = lexer_.word();
  if (!name.starts_with("sm_"))
    lexer_.fail("the .target is no sm_");
  for (char c : name.substr(3))
    if (c >= '0' && c <= '9')
      module_.sm = module_.sm * 10 + static_cast<unsigned>(c - '0');
  while (lexer_.accept(","))
    lexer_.word();
}

// What stands between functions.
void Parser::parseDirective() {
  bool is_extern = false;
  for (;;) {
    if (lexer_.accept(".extern"))
      is_extern = true;
    else if (!lexer_.accept(".visible") && !lexer_.accept(".weak") && !lexer_.accept(".common"))
      break;
  }
  if (lexer_.accept(".version")) {
    double version = 0;
    Token token = lexer_.take();
    for (char c : token.text)
      version = c == '.' ? version : version * 10 + (c - '0');
    module_.version = static_cast<unsigned>(version);
  } else if (lexer_.accept(".target")) {
    parseTarget();
  } else if (lexer_.accept(".address_size")) {
    if (lexer_.integer() != 64)
      lexer_.fail("addresses must have 64 bits");
  } else if (lexer_.accept(".file") || lexer_.accept(".loc")) {
    lexer_.skipLine();
  } else if (lexer_.accept(".pragma")) {
    lexer_.take();
    lexer_.expect(";");
  } else if (lexer_.accept(".section")) {
    lexer_.word();
    skipBraces();
  } else if (lexer_.accept(".entry")) {
    parseFunction(true);
  } else if (lexer_.accept(".func")) {
    parseFunction(false);
  } else if (lexer_.accept(".global")) {
    module_.variables.push_back(parseVariable(Space::global, is_extern));
    lexer_.expect(";");
  } else if (lexer_.accept(".const")) {
    module_.variables.push_back(parseVariable(Space::constant, is_extern));
    lexer_.expect(";");
  } else if (lexer_.accept(".shared")) {
    module_.variables.push_back(parseVariable(Space::shared, is_extern));
    lexer_.expect(";");
  } else if (!lexer_.accept(";")) {
    lexer_.fail("unknown directive");
  }
}

void Parser::skipBraces() {
  lexer_.expect("{");
  for (int depth = 1; depth > 0;) {
    Token token = lexer_.take();
    if (token.kind == Token::End)
      lexer_.fail("missing '}'");
    depth += token.is("{") ? 1 : token.is("}") ? -1 : 0;
  }
}

// After the space: .align N, type, name, [count], = values.
Variable Parser::parseVariable(Space space, bool is_extern) {
  Variable variable;
  variable.space = space;
  variable.is_extern = is_extern;
  variable.line = lexer_.peek().line;
  for (bool align = false; lexer_.peek().text.starts_with('.');) {
    std::string_view word = lexer_.word().substr(1);
    if (word == "align") {
      variable.align = static_cast<unsigned>(lexer_.integer());
      align = true;
    } else if (word == "v2" || word == "v4") {
      variable.vector = word == "v2" ? 2 : 4;
    } else if (word == "ptr" || word == "global" || word == "shared" || word == "local" || word == "const") {
      // what a pointer parameter points to
      if (word == "ptr")
        align = true;
    } else if (word == "attribute" || typeOf(word) == Type::none || typeOf(word) == Type::pred) {
      lexer_.fail("unknown word in a declaration before this: ." + std::string(word));
    } else {
      variable.type = typeOf(word);
      if (!align)
        variable.align = bytesOf(variable.type) * variable.vector;
    }
  }
  variable.align = std::max({variable.align, 1u});
  variable.name = lexer_.word();
  parseArray(variable);
  if (lexer_.accept("="))
    parseInitializer(variable);
  return variable;
}

void Parser::parseArray(Variable& variable) {
  while (lexer_.accept("[")) {
    variable.is_array = true;
    variable.count *= lexer_.peek().is("]") ? 0 : lexer_.integer();
    lexer_.expect("]");
  }
}

void Parser::parseInitializer(Variable& variable) {
  if (!lexer_.peek().is("{")) {
    variable.values.push_back(parseValue());
    return;
  }
  int depth = 0;
  do {
    if (lexer_.accept("{"))
      ++depth;
    else if (lexer_.accept("}"))
      --depth;
    else if (!lexer_.accept(","))
      variable.values.push_back(parseValue());
  } while (depth > 0);
  if (variable.count == 0)
    variable.count = variable.values.size() / variable.vector;
  if (variable.values.size() > variable.count * variable.vector)
    lexer_.fail("more values than elements");
}

// 5, -5, 0f3F800000, name, name+4, generic(name)+4, 0xFF00(name)
Initializer Parser::parseValue() {
  Initializer value;
  if (lexer_.accept("generic")) {
    lexer_.expect("(");
    value = parseValue();
    lexer_.expect(")");
    value.value += parseOffset();
    return value;
  }
  if (lexer_.peek().kind == Token::Word) {
    value.symbol = lexer_.word();
    value.value = parseOffset();
    return value;
  }
  if (lexer_.peek().kind == Token::Single || lexer_.peek().kind == Token::Double) {
    value.value = lexer_.take().value;
    return value;
  }
  value.value = lexer_.integer();
  if (lexer_.accept("(")) {
    uint64_t mask = value.value;
    value = parseValue();
    lexer_.expect(")");
    for (value.mask = 1; mask && !(mask & 1); mask >>= 1)
      ++value.mask;
    if (mask != 0xff)
      lexer_.fail("a mask of an address must be one byte of ones");
  }
  return value;
}

std::vector<Variable> Parser::parseParameters() {
  std::vector<Variable> parameters;
  if (!lexer_.accept("("))
    return parameters;
  while (!lexer_.accept(")")) {
    lexer_.expect(".param");
    parameters.push_back(parseVariable(Space::param, false));
    if (!lexer_.peek().is(")"))
      lexer_.expect(",");
  }
  return parameters;
}

// .maxntid and the like, between the parameters and the body.
void Parser::parseTuning(Function& function) {
  auto numbers = [&](uint32_t* out) {
    int i = 0;
    do
      out[i++] = static_cast<uint32_t>(lexer_.integer());
    while (i < 3 && lexer_.accept(","));
  };
  while (lexer_.peek().text.starts_with('.')) {
    std::string_view word = lexer_.word();
    uint32_t values[3] = {1, 1, 1};
    if (word == ".noreturn")
      continue;
    if (word == ".pragma") {
      lexer_.take();
      lexer_.expect(";");
    } else if (word == ".maxntid" || word == ".reqntid") {
      numbers(values);
      function.max_threads = values[0] * values[1] * values[2];
      if (word == ".reqntid")
        std::copy(values, values + 3, function.required);
    } else if (word == ".minnctapersm" || word == ".maxnreg" || word == ".maxnctapersm") {
      numbers(values);
    } else {
      lexer_.fail("unknown directive of a function before this: " + std::string(word));
    }
  }
}

void Parser::parseFunction(bool is_entry) {
  Function function;
  function.is_entry = is_entry;
  function.line = lexer_.peek().line;
  function.results = parseParameters();
  function.name = lexer_.word();
  function.parameters = parseParameters();
  parseTuning(function);
  if (!lexer_.accept(";"))
    parseBody(function);
  auto same = [&](const Function& other) { return other.name == function.name; };
  auto known = std::find_if(module_.functions.begin(), module_.functions.end(), same);
  if (known == module_.functions.end())
    module_.functions.push_back(std::move(function));
  else if (known->defined && function.defined)
    throw PtxError{function.line, "a second body of " + std::string(function.name)};
  else if (function.defined)
    *known = std::move(function);
}

} // namespace bsgp::emulator
