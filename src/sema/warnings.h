// Warnings of what is no error and hardly meant, in the program's own text. Each asks about one kind of mistake, and
// reports it once per place, however many instances a function has.
#pragma once

#include <span>
#include <unordered_set>

#include "diag/diagnostics.h"
#include "sema/program.h"

namespace bsgp::sema {

struct Sema;
struct Argument;

// By the text of a function: variables that are never used, assignments in the place of conditions, and what the next
// two look for (warn_text.cpp).
//   implicit  where the names of variables begin whose first assignment declares them
void warnOfText(const ast::Function& function, const std::unordered_set<SourcePos>& implicit, Sema& sema);

// A loop or an if whose body is a lone ';' (warn_empty_bodies.cpp).
void warnOfEmptyBody(const ast::Stmt& s, Diagnostics& diagnostics);

// Warns of a case of a switch whose statements go on into the next one (warn_switches.cpp).
void warnOfFallThrough(const ast::Stmt& s, Diagnostics& diagnostics);

// Warns of a statement in a block that is indented as the body of the one before it (warn_indentation.cpp).
void warnOfIndentation(const ast::Stmt& block, Diagnostics& diagnostics);

// A loop that nothing ends: no variable of its condition changes, or its step leads away (warn_loops.cpp).
void warnOfEndlessLoop(const ast::Stmt& loop, const ast::Function& function, Sema& sema);

// 0 < x < 3; x & 1 == 2 and 1 << n + 2 with operands of these types (warn_precedence.cpp).
void warnOfChainedComparison(const ast::Expr& e, const Type& right, Diagnostics& diagnostics);
void warnOfPrecedence(const ast::Expr& e, const Type& left, const Type& right, Diagnostics& diagnostics);

// Reports variables, in the body of a function or spawn, that are read where nothing can have been assigned to them
// (warn_unset.cpp).
void warnOfUnset(const Stmt& body, Diagnostics& diagnostics);

// Reports values with a fraction that are assigned to whole numbers whose first assignment wrote no type (warn_fractions.cpp).
void warnOfFractions(const Stmt& body, Diagnostics& diagnostics);

// Reports quotients of whole numbers that become floating-point numbers at once: float f = n / 10 (warn_quotients.cpp).
void warnOfQuotients(const Stmt& body, Diagnostics& diagnostics);

// Reports single elements that a loop of host code copies (warn_copies.cpp).
void warnOfCopies(const Function& function, Diagnostics& diagnostics);

// Reports memory that the statements of a block use or free behind its release (warn_freed.cpp).
void warnOfFreed(const Stmt& body, Diagnostics& diagnostics);

// Reports variables of threads that one arm of a par writes and another one uses (warn_par.cpp).
void warnOfArms(const Stmt& body, Diagnostics& diagnostics);

// Reports addresses of a host function's variables that its end leaves in places that last longer (warn_kept.cpp).
void warnOfKeptAddresses(const Function& function, Diagnostics& diagnostics);

// Reports memory of the function's lists and of dtempnew that it returns (warn_ended.cpp).
void warnOfEndedMemory(const Function& function, Diagnostics& diagnostics);

// Reports sums of ints that become longs when they are computed: long l = reduce(+, x) (warn_widened.cpp).
void warnOfWidenedSums(const Stmt& body, Sema& sema);

// Reports texts of the program that are written to (warn_literals.cpp).
void warnOfWrittenLiterals(const Stmt& body, Diagnostics& diagnostics);

// Reports shared variables that are read behind a barrier, and written in front of it alone (warn_shared.cpp).
void warnOfShared(const Stmt& body, Diagnostics& diagnostics);

// Reports places in memory that all threads of a spawn change at the same time (warn_races.cpp).
bool mayChangeThreads(const Function& function); // end some, number them anew, or wait for a lock
void warnOfRaces(const Stmt& spawn, Diagnostics& diagnostics);

// Reports host variables that a loop in a spawn counts for no other reason: the host runs it, once (warn_counted.cpp).
void warnOfCountsInLoops(const Stmt& spawn, Diagnostics& diagnostics);

// The expression of a statement, or a loop's step, and the left operand of a comma, where it changes nothing
// (warn_effects.cpp).
void warnOfNoEffect(const Expr& statement, Sema& sema);
void warnOfDropped(const Expr& left, Sema& sema);

// max, min and clamp of the library compare their arguments (warn_signs.cpp).
void warnOfMixedExtremes(const Function& function, std::span<const Argument> arguments, SourceRange range, Sema& sema);

// fill(p, 0, n), compact(l, x > 3, x, flag): two arguments of the library in each other's place (warn_swapped.cpp).
// Returns true if it reported them.
bool warnOfSwapped(const Function& function, std::span<const Argument> arguments, SourceRange range, Sema& sema);

// sort(p, n, <=): the library's orders are strict (warn_orders.cpp).
void warnOfOrders(const Function& function, std::span<const Argument> arguments, Sema& sema);

// s == "text" with operands of these types; x == 3 || 4, with a left operand `truth` and a right one `value` (warn_comparisons.cpp).
void warnOfTextAddresses(const ast::Expr& e, const Type& left, const Type& right, Diagnostics& diagnostics);
void warnOfJoinedNumbers(const ast::Expr& e, Diagnostics& diagnostics); // x == (3 || 4)
void warnOfConstantOperand(const ast::Expr& e, const Expr& truth, const Expr& value, Diagnostics& diagnostics);

// A shift of a value of this type by a constant that it has no bits for (warn_constants.cpp).
void warnOfShift(const Type& shifted, const Expr& count, SourceRange range, Diagnostics& diagnostics);

// A sum, difference, product or quotient of two constants that its signed type cannot hold; `a op b` is a Binary
// (warn_constants.cpp).
void warnOfOverflow(const Expr& binary, bool is_generic, Diagnostics& diagnostics);

// c < 256 of a uchar, x == x, x != 1 || x != 2, n % 3 == 3, x == 0.1 of a float, a == b of two arrays,
// with these operands (warn_tautologies.cpp).
void warnOfOutsideOfType(const ast::Expr& e, const Expr& left, const Expr& right, Diagnostics& diagnostics);
void warnOfSameOperands(const ast::Expr& e, const Expr& left, Diagnostics& diagnostics);
void warnOfContradiction(const ast::Expr& e, const Expr& left, const Expr& right, Diagnostics& diagnostics);
void warnOfOutsideOfResult(const ast::Expr& e, const Expr& left, const Expr& right, Diagnostics& diagnostics);
void warnOfFloatComparison(const ast::Expr& e, const Expr& left, const Expr& right, Diagnostics& diagnostics);
void warnOfArrayAddresses(const ast::Expr& e, const Expr& left, const Expr& right, Diagnostics& diagnostics);

// 2 ^ 10, x =+ 1, n / 0, z = scan(+, z) (warn_slips.cpp).
void warnOfPower(const ast::Expr& e, Diagnostics& diagnostics);
void warnOfReversedOperator(const ast::Expr& assignment, Diagnostics& diagnostics);
void warnOfDivisionByZero(ast::BinaryOp op, const Expr& dividend, const Expr& divisor, SourceRange range,
                          Diagnostics& diagnostics);
void warnOfLostQuotient(const ast::Expr& e, Diagnostics& diagnostics); // 1 / 2
void warnOfSelfAssignment(const ast::Expr& e, Diagnostics& diagnostics);
void warnOfChangeInItself(const ast::Expr& e, Diagnostics& diagnostics);                     // i = i++
void warnOfSizeOfPointer(const ast::Expr& e, const Type& divided, Diagnostics& diagnostics); // sizeof(p) / sizeof(p[0])
void warnOfLostPrefix(const Expr& target, const Expr& value, SourceRange range, Sema& sema);

// u >= 0 and u < 0 of an unsigned number, with a 0 that is written out; `e` has operands of these types (warn_signs.cpp).
void warnOfNeverNegative(const ast::Expr& e, const Type& left, const Type& right, Diagnostics& diagnostics);

// Can one operand of a comparison, as it is written, be negative and become an unsigned number (warn_signs.cpp)?
bool mixesSigns(const Expr& a, const Expr& b, const Type& common);

} // namespace bsgp::sema
