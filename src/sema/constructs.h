// The constructs by which control flow goes on, and the words that messages have for them.
#pragma once

#include <cstdint>

namespace bsgp {
struct Stmt;
}

namespace bsgp::sema {

enum class Construct : uint8_t { If, For, While, Do, Switch, And, Or, Choice, Asm, Break, Continue, Return };

const char* wordOf(Construct construct);      // as it is written: "if", "&&", "?:"
bool isOfExpression(Construct construct);     // && || ?:
Construct constructOf(const Stmt& statement); // an if, a switch, a loop, or a jump

} // namespace bsgp::sema
