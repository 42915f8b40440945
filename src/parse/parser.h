// The parser's state and its methods, spread over the .cpp files of this folder by construct. Recursive descent;
// beyond the grammar it knows only which names are types, because declarations and casts cannot be told from
// expressions otherwise.
//
// Errors: error() reports and sets panic_, under which everything returns at once and stays silent until a place that
// knows how to go on (a statement, a field, a top-level item) skips ahead and clears it. complain() reports and goes
// on.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "lex/lex.h"
#include "parse/parse.h"

namespace bsgp {

// The words before a declarator.
struct Specifiers {
  SourceRange range;
  ast::TypeExpr* base = nullptr;         // null: no type was written
  ast::Struct* unnamed_struct = nullptr; // `struct {…}` and `enum {…}` without a tag, which a typedef may name
  bool defines_type = false;             // struct S {…} or enum E {…}: a declarator need not follow
  bool is_const = false;
  ast::Space space = ast::Space::Open;
  // The places of the words; invalid for those that are not there.
  SourceRange space_at, inline_at, extern_at, export_at, static_at, strict_at, typedef_at, shared_at;
};

// A word of another language, and the text of the help for it.
struct ForeignWord {
  enum Use : uint8_t {
    Other,
    Specifier, // a declaration goes on after it as if it were not there
    Loop,      // stands before (...) {...}
    Generic,   // a name that a program may have itself: foreign before < alone
  };
  std::string_view name;
  std::string_view help;
  Use use;
};
const ForeignWord* findForeignWord(std::string_view word);

// Turns whatever lies deeper than kMaxTreeDepth into Error and Empty nodes. Returns the range of the first such node.
SourceRange limitDepth(ast::Stmt* body);
SourceRange limitDepth(ast::Expr* expr);

// True if later phases would take `name` for a built-in type: they see normalized names only.
bool isNormalizedName(std::string_view name);

// Returns the first parameter with the same name as one before it; null if there is none.
const ast::Param* secondOfName(const ast::Function& function);

// Makes the help for a list of two numbers in place of one, from their texts.
using DimensionHelp = std::string (*)(std::string_view first, std::string_view second);

class Parser : private NamesOfFiles {
public:
  Parser(SourceManager& sources, Arena& arena, Diagnostics& diagnostics, const ParseOptions& options);
  ast::Program* run(SourcePos main_file);
  ast::Program* runPrelude(std::span<const LibraryFile> files);
  NamesOfFiles takeNames() { return std::move(*this); } // once all is parsed

private:
  // ---- tokens (parser.cpp)
  const Token& peek(size_t ahead = 0) const {
    size_t i = at_ + ahead;
    return tokens_[i < tokens_.size() ? i : tokens_.size() - 1];
  }
  const Token& previous() const { return tokens_[at_ ? at_ - 1 : 0]; }
  bool at(Tok kind) const { return tokens_[at_].kind == kind; }
  bool atName(size_t ahead = 0) const { return isName(peek(ahead).kind); }
  const Token& advance() {
    const Token& token = tokens_[at_];
    at_ += token.kind != Tok::End;
    return token;
  }
  bool accept(Tok kind) {
    if (panic_ || !at(kind))
      return false;
    advance();
    return true;
  }
  std::string_view spell(const Token& token) const {
    return {text_ + (token.range.begin - base_), token.range.end - token.range.begin};
  }
  std::string_view spellRange(SourceRange range) const {
    return {text_ + (range.begin - base_), range.end - range.begin};
  }
  std::string describe(const Token& token) const; // 'x', or "the end of the file"
  bool startsLine(const Token& token) const;
  bool inFirstColumn(const Token& token) const;
  unsigned indentOf(const Token& token) const; // blanks at the start of its line
  SourceRange rangeFrom(SourcePos begin) const { return {begin, at_ ? std::max(previous().range.end, begin) : begin}; }

  // ---- errors and recovery (recovery.cpp)
  template <class... Args> void error(Diag kind, SourceRange range, const Args&... args) {
    ++faults_.all;
    if (mayReport())
      diagnostics_.report(kind, range, args...);
    panic_ = true;
  }
  template <class... Args> void complain(Diag kind, SourceRange range, const Args&... args) {
    if (panic_)
      return;
    ++faults_.all;
    diagnostics_.report(kind, range, args...);
  }
  bool mayReport();
  bool reportForeignWord();
  std::span<const Tok> wordsThatFit() const; // misspelt_words.cpp
  bool mayDeclare(Tok meant) const;
  void mendWhile();
  bool mendWordOfLoop(std::string_view word);
  bool mendMisspeltOperator(); // new, sizeof, in an expression
  std::optional<Tok> misspeltWord() const;
  bool atMisspeltHead() const;
  bool mendMisspeltWord(); // reports which word is meant; the token becomes it
  // forall (...) {...}: reports one error, and skips past its braces; null: no such loop here
  ast::Stmt* rejectForeignLoop();
  void rejectName(std::string_view help = {}); // at a place for a name
  void rejectTypeAsName(const Token& name);
  size_t afterTypeWords(size_t ahead) const;
  size_t afterTypeList(size_t ahead) const; // generic_forms.cpp
  bool atGenericFunction() const;
  bool atUnknownGeneric() const;
  void skipTypeParameters(size_t count);
  void rejectTypeParameters();
  bool rejectTypeParametersInParentheses(const ast::Function& function);
  bool rejectTypeArguments(std::string_view name, bool of_function); // false: there are none
  void rejectGenericStruct(std::string_view name, SourceRange range, const std::vector<ast::TypeParam>& parameters);
  void skipTemplate();
  ast::TypeExpr* wrongType(); // one that later phases take for wrong and reported
  void declareWrongType(std::string_view name, SourceRange range);
  void reportUnclosedBrace();
  void expectedHere(std::string_view what, std::string_view help = {}); // error at the current token
  bool expect(Tok kind);
  bool expectClose(Tok kind, const Token& open);
  bool atBodyWithoutBrace() const;
  const Token* openBody(); // past its {; null: there is no body
  void expectSemicolon();
  bool enterNesting(); // false, with a report, past kMaxNesting; else undone by leaveNesting
  void leaveFunction();
  void leaveNesting() { --nesting_; }
  void skipBalanced();
  bool skipBraces();           // false: there are none here         // at ( [ or {: past its partner
  bool skipToClose(Tok close); // past `close` at this level; false at ; { } or the end
  bool atStrayBrace() const;
  void syncStatement();
  void syncTopLevel();
  size_t afterBalanced(size_t ahead) const; // of peek(ahead) == ( : the distance past its partner
  static std::vector<uint32_t> partnersOf(const std::vector<Token>& tokens);

  // ---- parts of the program that errors leave in doubt (broken.cpp)
  struct Faults {
    size_t all = 0, in_statements = 0;
    size_t outside(const Faults& before) const { // of statements, since then
      return all - before.all - (in_statements - before.in_statements);
    }
  };
  void doubtItem(size_t start, bool own, SourcePos from, bool stray);
  void doubtDeclared(size_t start);
  void doubtFirstColumn(size_t start);
  void doubtStatement(size_t start, const Faults& before);

  // ---- nodes
  ast::Expr* newExpr(ast::Expr::Kind kind, SourceRange range);
  ast::Stmt* newStmt(ast::Stmt::Kind kind, SourceRange range);
  ast::TypeExpr* newType(ast::TypeExpr::Kind kind, SourceRange range, std::string_view name = {});
  ast::Expr* errorExpr() { return newExpr(ast::Expr::Error, peek().range); }
  template <class T> std::span<T> keep(const std::vector<T>& list) { return arena_.keep(list); }
  std::string_view concatenate(std::string_view a, std::string_view b) { return arena_.copy(std::string(a).append(b)); }

  // ---- names that are types (types.cpp)
  void addBuiltinTypes();
  void predeclareTypes(); // of the file begun
  bool isTypeName(size_t ahead) const;
  void declareVariable(std::string_view name); // in the innermost scope; hides a type of that name
  bool declareType(std::string_view name, SourceRange range, const ast::TypeExpr* same_as = nullptr);
  size_t openScope() const { return hidden_.size(); }
  void closeScope(size_t mark);

  // ---- generic structs (generic_structs.cpp)
  bool isGeneric(size_t ahead) const; // the name there
  void predeclareGeneric(size_t name, size_t past);
  size_t afterTypeParameters(size_t ahead) const;
  std::vector<ast::TypeParam> parseTypeParameters(std::string_view owner, SourceRange range);
  void declareTypeParameters(const ast::Struct& owner);
  void rejectHiddenParameter(std::string_view name, SourceRange range);
  size_t afterTypeArguments(size_t ahead, unsigned depth = 0) const;
  bool looksLikeArguments(size_t name, unsigned depth) const;
  bool atGenericType(size_t ahead) const;
  bool hasTypeArguments(bool constructing) const;
  ast::TypeExpr* parseTypeArguments(const Token& name);
  ast::TypeExpr* parseTypeArgument(std::string_view owner, bool is_number);
  void rejectTypeArgument(std::string_view owner, std::string_view wanted, std::string_view help);
  ast::TypeExpr* typeOfOwner(const ast::Struct& owner, SourceRange range);

  // ---- types of lists (list_types.cpp)
  bool atDListWithoutParentheses(size_t ahead) const; // dlist l, dlist<int>
  ast::TypeExpr* parseDListType();
  ast::TypeExpr* rejectDList();
  ast::TypeExpr* parseTypeSuffixes(ast::TypeExpr* type); // <> [,] [,,]
  bool atViewSuffix() const;
  uint8_t parseViewSuffix();
  ast::TypeExpr* rejectViewSuffix(ast::TypeExpr* element);
  void rejectFurtherExtents(SourceRange range);
  const char* bracketsHelp() const; // for brackets in front of a name

  // ---- types (types.cpp)
  static constexpr unsigned kMaxTypeDepth = 64;
  bool startsType(size_t ahead = 0) const;
  Specifiers parseSpecifiers();
  bool parseTypeWords(Specifiers& specifiers);
  bool parseSpecifierWord(Specifiers& specifiers);
  bool skipForeignSpecifier();
  bool parseNamedBase(Specifiers& specifiers);
  bool looksLikeUnknownType() const;
  std::string helpForUnknown(std::string_view name) const;
  void parseUnknownBase(Specifiers& specifiers);
  ast::TypeExpr* parseTypeOf();
  ast::TypeExpr* parsePointers(ast::TypeExpr* base);
  ast::TypeExpr* parseArraySuffix(ast::TypeExpr* element);
  static bool isStorage(const Specifiers& specifiers, const ast::TypeExpr* type, bool is_parameter);
  void placeSpace(const Specifiers& specifiers, ast::TypeExpr* type, bool is_parameter);
  void rejectSpecifiers(const Specifiers& specifiers, const char* what, bool linkage, bool inlining);
  ast::TypeExpr* parseTypeName(bool arrays); // in casts, sizeof, new: without a declared name

  // ---- declarations (declarations.cpp)
  ast::Program* programOfItems();
  void parseFile(SourcePos file);
  void parseTopLevel(); // broken.cpp
  void parseItem();
  bool atStrayCall() const;
  bool atLibrary() const;
  void parseLibrary();
  void parseStaticAssert();
  void parseTypedef(Specifiers& specifiers);
  void parseGlobals(const Specifiers& specifiers);
  ast::TypeExpr* parseStructOrEnum(Specifiers& specifiers);
  void rejectOpenSize(const ast::Declarator& field);
  bool atFieldsWithoutBrace(const Token& keyword) const;
  std::span<ast::Declarator> parseFields(const Token& open, const ast::Struct& owner);
  void parseField(std::vector<ast::Declarator>& fields, const ast::Struct& owner);
  std::span<ast::Enumerator> parseEnumerators(const Token& open);
  ast::Declarator parseDeclarator(const Specifiers& specifiers, bool is_parameter);
  void rejectParentheses();
  void rejectReference(const ast::Declarator& declarator);
  void rejectDirectValue(const ast::Declarator& declarator);
  void parseInitializer(ast::Declarator& declarator);
  ast::Expr* parseAssignOrList(); // what may stand behind a '='
  ast::Expr* parseInitList();
  void addItem(ast::TopLevel::Kind kind, void* node) { items_.push_back({kind, node}); }

  // ---- functions (functions.cpp)
  bool atStrict() const;       // the word in front of a function
  bool atFunctionName() const; // f(  operator+  thread.f(  block.f(  warp.f(
  bool looksLikeFunctionDefinition() const;
  void parseFunction(const Specifiers& specifiers, ast::TypeExpr* result);
  ast::Family familyHere() const; // of the function whose name begins here
  std::string_view parseFunctionName();
  std::string_view parseOperatorName();
  ast::Function* parseIdentity(const ast::Function& function); // null: no such clause
  Watch parseWatch();
  ast::Function* newClause(const ast::Function& function, std::string_view suffix, ast::Stmt* value);
  bool parseParameters(ast::Function& function);
  void rejectUnnamedParameters(const ast::Function& function);
  ast::Param parseParameter();
  ast::Expr* parseConstant();
  void rejectMissingBody(bool sound, std::string_view expected);
  void finishDeclaration(const ast::Function& function);
  void finishOpenParameter(ast::Param& parameter);
  void finishTypedParameter(ast::Param& parameter, const Specifiers& specifiers);
  void parseFunctionBody(ast::Function& function);

  // ---- forms of C and C++ (foreign_declarations.cpp)
  void rejectReferenceResult();
  void rejectOperatorInStruct();
  bool atNamedByWord() const;
  bool atScope(size_t ahead) const; // ::
  bool rejectQualifiedFunction();
  void skipQualifier();
  void skipEnumName();
  void skipEnumClass();
  void skipEnumBase();
  bool atFieldWithValue() const;
  bool rejectLocalPrototype();

  // ---- functions of structs (methods.cpp)
  void parseMethod(const ast::Struct& owner, const Specifiers& specifiers, ast::TypeExpr* result);
  void rejectFunctionInStruct(Diag kind, SourceRange range);
  void skipFunctionInStruct();
  void addThis(ast::Function& function, const ast::Struct& owner);
  void finishMethods(ast::Struct& owner);

  // ---- lambdas (lambdas.cpp)
  bool atLambda() const;
  ast::Expr* parseLambda();
  bool parseCaptures();
  void parseLambdaBody(ast::Function& function, bool sound);
  void skipLambda(bool sound);
  void parseLambdaResult(ast::Function& function);
  std::string_view nameOfLambda(SourcePos place);

  // ---- statements (statements.cpp)
  ast::Stmt* parseStatement(bool directly_in_switch = false);
  ast::Stmt* parseGuardedStatement(bool directly_in_switch);
  ast::Stmt* parseStatementUnguarded(bool directly_in_switch);
  ast::Stmt* parseBlock(bool is_scope, bool is_switch = false);
  bool beginsNextItem(const Token& open) const;
  bool atExtraBrace(const Token& open) const;
  void closeBlock(const Token& open);
  bool startsDeclaration() const;
  ast::Stmt* parseDeclaration();
  bool rejectNestedFunction();
  ast::Expr* parseCondition();
  void rejectBareCondition();
  bool declaresBehindComma();
  ast::Stmt* parseIf();
  ast::Stmt* parseWhile();
  ast::Stmt* parseDo();
  ast::Stmt* parseFor();
  bool rejectForIn();
  void parseForHead(ast::Stmt* loop);
  bool atUnroll() const;
  ast::Stmt* parseUnroll();
  bool atLoop(size_t ahead = 0) const;
  bool atWavefront() const;
  ast::Stmt* parseWavefront(bool directly_in_switch);
  ast::Stmt* parseSwitch();
  bool hasClosingBrace() const;
  ast::Stmt* parseLabelledStatement();
  ast::Stmt* parseCase(bool directly_in_switch);
  ast::Stmt* parseReturn();
  ast::Expr* parseSize(const char* what, DimensionHelp help);
  ast::Stmt* parseSpawn();
  void parseExtents(ast::Stmt& spawn);
  bool parseSpawnProperty(ast::Stmt& spawn);
  bool atPartition() const;
  void parsePartition(ast::Stmt& spawn);
  bool atWidth() const;
  bool atUnknownProperty() const;
  ast::Stmt* parseBarrier();
  ast::Stmt* parseRequire();
  ast::Stmt* parsePar();
  bool atAsm() const;
  ast::Stmt* parseAsm(); // asm.cpp
  ast::Expr* parseAsmText();
  std::span<ast::AsmOperand> parseAsmOperands();
  std::span<ast::Expr*> parseAsmClobbers();
  ast::Stmt* parseSimple(ast::Stmt::Kind kind); // break; continue;
  ast::Stmt* parseExpressionStatement();
  ast::Stmt* rejectGoto();
  bool atParallelLoop() const;
  ast::Stmt* rejectParallelLoop();
  void rejectRange(const ast::Expr* first);
  ast::Stmt* rejectLabel();
  ast::Stmt* finish(ast::Stmt* stmt) {
    stmt->range.end = std::max(stmt->range.end, previous().range.end);
    return stmt;
  }

  // ---- expressions (expressions.cpp)
  ast::Expr* parseExpr(); // with commas
  ast::Expr* parseAssign();
  ast::Expr* parseConditional();
  ast::Expr* parseBinary(int min_precedence);
  ast::Expr* parseUnary();
  ast::Expr* parsePrefix();
  ast::Expr* parsePostfix();
  bool beginsStatement() const;
  ast::Expr* parsePostfixOf(ast::Expr* left);
  ast::Expr* parsePrimary();
  ast::Expr* parseParenthesized();
  ast::Expr* parseCast();
  ast::Expr* parseConstruct();
  void rejectBraces(std::string_view type);
  ast::Expr* parseLiteral();
  ast::Expr* parseString();
  ast::Expr* parseName();
  ast::Expr* parseIntrinsic(ast::Expr::Kind kind); // thread.x, block.x, warp.x
  ast::Expr* parseSizeof();
  ast::Expr* parseNew();
  ast::Expr* rejectNewCall(const Token& word, ast::Expr* made);
  bool rejectBytes(const Token& word, const ast::Expr* count);
  std::string extentsApart(ast::Expr* made);
  ast::Expr* parseDelete();
  ast::Expr* parseArgument();
  ast::Expr* parseOneNumber(const char* what, DimensionHelp help);
  std::span<ast::Expr*> parseFurtherExtents(); // behind the first: , h, w
  void rejectNewForm(const Token& word, const ast::Expr& made);
  bool rejectLaunch(const ast::Expr* left);
  ast::Expr* missingExpression();
  std::span<ast::Expr*> parseArguments(); // from ( past )
  std::string_view parseMemberName();

  // ---- includes (includes.cpp)
  void parseInclude();
  void parseLibraryFile(SourcePos file);
  static std::string libraryName(std::string_view path); // as messages name it: <scan.bsgp>
  bool openLibraryFile(std::string_view name, SourcePos& file);
  void openDiskFile(const std::string& path, SourceRange range, SourcePos& file, bool& done);
  void rememberFile(const std::string& path);
  void keepNamesOfLibrary();

  SourceManager& sources_;
  Arena& arena_;
  Diagnostics& diagnostics_;
  const ParseOptions& options_;

  // The file being parsed.
  std::vector<Token> tokens_;
  std::vector<uint32_t> past_partner_; // the index behind each token, behind the partner if it opens: partnersOf
  size_t at_ = 0;
  const char* text_ = nullptr;
  SourcePos base_ = 0;
  std::string folder_;
  bool in_library_ = false; // misspelt words are not searched for in it
  unsigned include_depth_ = 0;

  // Errors.
  bool panic_ = false;
  bool stray_reported_ = false; // code outside of functions was reported, and nothing sound came since
  bool unwinding_ = false;      // every open block ends here: a brace is missing, or all was skipped
  unsigned nesting_ = 0;
  size_t statement_start_ = 0;           // token of the innermost statement begun
  std::vector<SourceRange> open_braces_; // innermost last
  bool in_lambda_ = false;
  SourceRange suspect_brace_; // closed by a brace of another indentation

  // Parts that errors leave in doubt.
  Faults faults_;
  bool item_lost_ = false;    // a brace of this item is missing
  bool astray_ = false;       // the last item that began in the first column, or one since then, is broken
  bool incomplete_ = false;   // ast::Program::incomplete
  SourcePos last_anchor_ = 0; // the beginning of the last item that began in the first column
  std::vector<std::string_view> names_in_doubt_, doubted_everywhere_; // in this item; in all
  std::vector<SourceRange> error_ranges_;                             // of this item
  std::vector<ast::Broken> broken_;

  // The names that the library's files know, saved while a file of the program is parsed.
  std::unordered_map<std::string_view, Name> names_of_library_;
  std::vector<std::pair<std::string_view, Name>> hidden_;  // names that variables hid, restored when their scope ends
  std::unordered_set<std::string_view> unknown_types_;     // reported
  std::unordered_set<std::string_view> misspelt_generics_; // struct P<T>, reported
  std::vector<ast::TypeParam> template_parameters_;        // of the struct that comes next
  const ast::Struct* generic_owner_ = nullptr;             // in its braces
  bool constructing_ = false;                              // P(1, 2) may stand here, with its arguments missing
  const ast::Struct* owner_ = nullptr;                     // of the function to be parsed next
  std::vector<ast::Function*> methods_;                    // of the struct being parsed
  size_t nodes_ = 0;                                       // made so far
  std::vector<ast::TopLevel> items_;
};

} // namespace bsgp
