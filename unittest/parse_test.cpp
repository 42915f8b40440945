// The parser: the paper's listings, the grammar by its text form, every message, recovery, deep and random input.
// links: parse lex diag support
#include "parse/parse.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>

#include <unistd.h>

#include <gtest/gtest.h>

namespace bsgp {
namespace {

struct Parsed {
  SourceManager sources;
  Arena arena;
  Diagnostics diagnostics{sources};
  ast::Program* program;

  explicit Parsed(std::string source, const ParseOptions& options = {}) {
    SourcePos file = sources.addText("t.bsgp", std::move(source));
    program = parse(sources, arena, diagnostics, file, options);
  }
  std::string tree() const { return ast::text(*program, sources); }
  std::vector<std::string> messages(bool notes = false) const {
    std::vector<std::string> names;
    for (const Diagnostic& d : diagnostics.all())
      if (notes || d.severity != Severity::Note)
        names.emplace_back(diagName(d.kind));
    return names;
  }
};

using Names = std::vector<std::string>;

std::string treeOf(const std::string& source) {
  Parsed parsed(source);
  EXPECT_TRUE(parsed.diagnostics.all().empty()) << source << "\n" << parsed.diagnostics.render();
  return parsed.tree();
}

// The statements of f() { source }, one per line.
std::string statements(const std::string& source) {
  std::string tree = treeOf("f() {\n" + source + "\n}");
  size_t block = tree.find("  block\n");
  std::string out;
  for (size_t at = block == std::string::npos ? tree.size() : block + 8; at < tree.size();) {
    size_t end = tree.find('\n', at);
    out += tree.substr(at + 4, end - at - 3);
    at = end + 1;
  }
  return out;
}

std::string typeOf(const std::string& type, const std::string& after = "") {
  std::string tree = treeOf("struct S { int x; };\n" + type + " v" + after + ";");
  size_t at = tree.find("global ");
  return at == std::string::npos ? tree : tree.substr(at, tree.size() - at - 1);
}

// ---- the paper
const char* const kListing1 = R"(
findFaces(int* pf, int* hd, int* ib, int n) {
    spawn (n*3) {
        rk = thread.rank;
        f = rk/3;
                             //face id
        v = ib[rk];
                             //vertex id
        thread.sortby(v);
        //allocate a temp list
        require
            owner = dtempnew[n]int;
        rk = thread.rank;
        pf[rk] = f;
        owner[rk] = v
        barrier;
        if(rk==0||owner[rk-1]!=v)
            hd[v] = rk;
    }
}
)";

TEST(PaperListings, FindsTheSemicolonMissingInListing1AndGoesOn) {
  Parsed parsed(kListing1);
  EXPECT_EQ(parsed.diagnostics.render(), "t.bsgp:15:22: error: expected ';' after 'v' [expected_semicolon]\n"
                                         "            owner[rk] = v\n"
                                         "                         ^\n");
  EXPECT_EQ(parsed.tree(), R"(function findFaces -> none
  param pf (* i32)
  param hd (* i32)
  param ib (* i32)
  param n i32
  block
    spawn (* n 3)
      block
        (= rk thread.rank)
        (= f (/ rk 3))
        (= v ([] ib rk))
        (call thread.sortby v)
        require
          (= owner (dtempnew i32 n))
        (= rk thread.rank)
        (= ([] pf rk) f)
        (= ([] owner rk) v)
        barrier
        if (|| (== rk 0) (!= ([] owner (- rk 1)) v))
          (= ([] hd v) rk)
)");
}

TEST(PaperListings, Parse) {
  treeOf(R"(
findFaces(int* pf, int* hd, int* ib, int n) {
    spawn (n*3) {
        //superstep 1
        rk0 = thread.rank;
        f = rk0/3; v = ib[rk0];
        //BEGIN OF thread.sortby
        //allocate an internal temporary stream
        require
            sorted_id = dtempnew[thread.size]int;
        local_sort(sorted_id, v);
        barrier(RANK_REASSIGNED);
        require
            global_merge(sorted_id);
        //superstep 2
        //internal implementation of rank reassigning
        thread.oldrank = sorted_id[thread.rank];
        //END OF thread.sortby
        //allocate a temp list
        require
            owner = dtempnew[n]int;
        rk1 = thread.rank;
        pf[rk1] = f;
        owner[rk1] = v;
        barrier;
        //superstep 3
        if(rk1==0||owner[rk1-1]!=v)
            hd[v] = rk1;
    }
}
void test(int* a){
    spawn (1) {
        //superstep 1
        v0 = a[0]; v1 = a[1];
        barrier;
        v2 = v0 + v0;
        barrier;
        v3 = v1 + v2;
        barrier;
        v4 = v3 + v1;
        a[0] = v4;
    }
}
/*
extract numbers from plain text
*/
float* getNumbers(int* begin, int* end, int n){
    float* ret = NULL;
    spawn (n) {
        id = thread.rank;
        s = begin[id]; e = end[id];
        pt = s+thread.fork(e-s+1);
        c = charAt(pt-1); c2 = charAt(pt);
        thread.kill(isDigit(c)||!isDigit(c2));
        require
            ret = dnew[thread.size]float;
        ret[thread.rank] = parseNumber(pt);
    }
    return ret;
}
inline int sort_idx(int x){
    require
        sorted_id = dtempnew[n]int;
    local_sort(sorted_id, x);
    barrier;
    require
        global_merge(sorted_id);
    return sorted_id[thread.rank];
}
sorter(int n){
    spawn (n) {
        A = functionA();
        B = functionB();
        idxA = sort_idx(A);
        idxB = sort_idx(B);
        //more code
    }
}
sorter2(int n) {
    spawn(n) {
        A = functionA();
        B = functionB();
        par{
            idxA = sort_idx(A);
            idxB = sort_idx(B);
        }
        //more code
    }
}
findFaces9(int* pf, int* hd, int* ib, int n) {
    spawn(n*3) {
        rk = thread.rank;
        f = rk/3; //face id
        v = ib[rk]; //vertex id
        thread.sortby(v);
        rk = thread.rank;
        pf[rk] = f;
        barrier;
        if(rk==0||thread.get(rk-1,v)!=v)
            hd[v] = rk;
    }
}
)");
}

// ---- types
TEST(Types, HaveNormalizedNames) {
  const std::pair<const char*, const char*> cases[] = {
      {"char", "i8"},
      {"signed char", "i8"},
      {"unsigned char", "u8"},
      {"uchar", "u8"},
      {"short", "i16"},
      {"short int", "i16"},
      {"unsigned short", "u16"},
      {"ushort", "u16"},
      {"int", "i32"},
      {"signed", "i32"},
      {"unsigned", "u32"},
      {"uint", "u32"},
      {"unsigned int", "u32"},
      {"long", "i64"},
      {"long long", "i64"},
      {"unsigned long long int", "u64"},
      {"long unsigned", "u64"},
      {"ulong", "u64"},
      {"half", "f16"},
      {"float", "f32"},
      {"double", "f64"},
      {"bool", "bool"},
      {"int8", "i8"},
      {"uint16", "u16"},
      {"int32_t", "i32"},
      {"uint64_t", "u64"},
      {"size_t", "u64"},
      {"ptrdiff_t", "i64"},
      {"float3", "f32x3"},
      {"uchar4", "u8x4"},
      {"char2", "i8x2"},
      {"long2", "i64x2"},
      {"half4", "f16x4"},
      {"bool3", "boolx3"},
      {"double4", "f64x4"},
      {"int8x4", "i8x4"},
      {"uint32x2", "u32x2"},
      {"S", "S"},
      {"struct S", "S"},
  };
  for (auto [written, normalized] : cases)
    EXPECT_EQ(typeOf(written), std::string("global v ") + normalized) << written;
}

TEST(Types, PlaceSpacesAndConst) {
  EXPECT_EQ(typeOf("host int*"), "global v (host * i32)");
  EXPECT_EQ(typeOf("int host*"), "global v (host * i32)");
  EXPECT_EQ(typeOf("device float**"), "global v (device * (* f32))");
  EXPECT_EQ(typeOf("device float* host*"), "global v (host * (device * f32))");
  EXPECT_EQ(typeOf("host int*", "[3]"), "global v (array (host * i32) 3)");
  EXPECT_EQ(typeOf("const int*"), "global v (* const i32)");
  EXPECT_EQ(typeOf("int* const"), "global const v const (* i32)");
  EXPECT_EQ(typeOf("int const", " = 3"), "global const v const i32 = 3");
  EXPECT_EQ(typeOf("const", " = 3"), "global const v const auto = 3");
  EXPECT_EQ(typeOf("int", "[2][3], w"), "global v (array (array i32 3) 2)\nglobal w i32");
  EXPECT_EQ(typeOf("S<>"), "global v (dlist S)");
  EXPECT_EQ(typeOf("dlist(dlist(float))"), "global v (dlist (dlist f32))");
  EXPECT_EQ(typeOf("typeof(1+2)*"), "global v (* (typeof (+ 1 2)))");
}

TEST(Types, AreHiddenByVariables) {
  EXPECT_EQ(statements("int S = 3; y = (S) * 2;"), "decl S i32 = 3\n(= y (* S 2))\n");
  EXPECT_EQ(treeOf("struct S { int x; };\nf() { { int S; y = (S) * z; } y = (S) * z; }"),
            "struct S\n  field x i32\nfunction f -> none\n  block\n    block\n      decl S i32\n      (= y (* S z))\n"
            "    (= y (cast S (* z)))\n");
  EXPECT_EQ(treeOf("struct S { int x; };\nf(int S) { S * y; }"),
            "struct S\n  field x i32\nfunction f -> none\n  param S i32\n  block\n    (* S y)\n");
}

TEST(Types, MayBeUsedAboveTheirDeclaration) {
  EXPECT_EQ(treeOf("struct A { B* b; E e; };\nstruct B { A a; };\nenum E { X };"),
            "struct A\n  field b (* B)\n  field e E\nstruct B\n  field a A\nenum E\n  X\n");
}

TEST(Types, MayGiveTheirNamesToParameters) {
  EXPECT_EQ(treeOf("f(int int32_t, float uint, int NULL) { return int32_t + (uint) * NULL; }\ng() { return NULL; }"),
            "function f -> none\n  param int32_t i32\n  param uint f32\n  param NULL i32\n  block\n"
            "    return (+ int32_t (* uint NULL))\nfunction g -> none\n  block\n    return null\n");
}

TEST(Types, MayBeNamedAgainAlike) {
  EXPECT_EQ(treeOf("typedef unsigned int uint; typedef int i32; typedef long int64_t; i32 x; uint y;"),
            "global x i32\nglobal y u32\n");
  EXPECT_EQ(
      treeOf("typedef struct { int x; } P; typedef struct Q { P p; } Q, *R; typedef enum { A } E; P p; R r; E e;"),
      "struct P\n  field x i32\nstruct Q\n  field p P\ntypedef R (* Q)\nenum\n  A\ntypedef E i32\n"
      "global p P\nglobal r R\nglobal e E\n");
}

// ---- declarations
TEST(Declarations, Functions) {
  EXPECT_EQ(treeOf("inline apply(op, a, & b, const c) { return op(a, b); }"),
            "function inline apply -> none\n  param op open\n  param a open\n  param &b open\n  param c const open\n"
            "  block\n    return (call op a b)\n");
  EXPECT_EQ(
      treeOf("export static float* f(int& x, float y[], device int z[4], auto w);"),
      "function export static f -> (* f32)\n  param &x i32\n  param y (array f32)\n  param z (device array i32 4)\n"
      "  param w open\n");
  EXPECT_EQ(treeOf("extern int printf(char*, ...); extern void exit(int); inline auto g(void) { }"),
            "function extern printf -> i32\n  param  (* i8)\n  param ...\nfunction extern exit -> void\n  param  i32\n"
            "function inline g -> auto\n  block\n");
  EXPECT_EQ(treeOf("extern \"half\"; extern \"z\" \"1\";"), "library \"half\"\nlibrary \"z1\"\n");
  EXPECT_EQ(treeOf("inline thread.twice(n) { }\ninline int thread.fork(int n) { }\nblock.scan(x) { }"),
            "function inline thread.twice -> none\n  param n open\n  block\nfunction inline thread.fork -> i32\n"
            "  param n i32\n  block\nfunction block.scan -> none\n  param x open\n  block\n");
}

TEST(Declarations, Operators) {
  for (const char* op :
       {"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "!", "~", "[]"})
    EXPECT_EQ(treeOf(std::string("float operator ") + op + "(float3 a) { }"),
              std::string("function operator") + op + " -> f32\n  param a f32x3\n  block\n");
}

TEST(Declarations, StructsEnumsGlobals) {
  EXPECT_EQ(
      treeOf("struct S { float3 a, b; int* c[4]; struct S* next; } s;"),
      "struct S\n  field a f32x3\n  field b f32x3\n  field c (array (* i32) 4)\n  field next (* S)\nglobal s S\n");
  EXPECT_EQ(treeOf("enum E { A, B = 1 << 3, }; enum { C }; E e = B;"),
            "enum E\n  A\n  B = (<< 1 3)\nenum\n  C\nglobal e E = B\n");
  EXPECT_EQ(treeOf("const float t[2][2] = {{1, 2}, {3, 4},}; extern int n; int a[] = {};"),
            "global const t (array (array const f32 2) 2) = (list (list 1 2) (list 3 4))\nglobal extern n i32\n"
            "global a (array i32) = (list)\n");
  EXPECT_EQ(treeOf("struct S; S* p;"), "global p (* S)\n");
}

// ---- statements
TEST(Statements, OfC) {
  EXPECT_EQ(statements("for (int i = 0, j = 9; i < j; ++i, j--) x += i;"),
            "for\n  init\n    decl i i32 = 0\n    decl j i32 = 9\n  while (< i j)\n  step (, (++ i) (post-- j))\n  (+= "
            "x i)\n");
  EXPECT_EQ(statements("for (;;) { break; } while (a) continue; do { } while (b);"),
            "for\n  block\n    break\nwhile a\n  continue\ndo-while b\n  block\n");
  EXPECT_EQ(statements("if (a) b; else if (c) d; else { e; } return; ;"),
            "if a\n  b\nelse if c\n  d\nelse\n  block\n    e\nreturn\nempty\n");
  EXPECT_EQ(statements("switch (x) { case 1: case 'a': y; break; default: z; }"),
            "switch x\n  block\n    case 1\n    case (char 97)\n    y\n    break\n    default\n    z\n");
  EXPECT_EQ(statements("const int a = 1, *p = &a; auto b = 2.0; shared float t[256]; int c[2] = {1, {2}};"),
            "decl a const i32 = 1\ndecl p (* const i32) = (& a)\ndecl b auto = 2.0\ndecl shared t (array f32 256)\n"
            "decl c (array i32 2) = (list 1 (list 2))\n");
}

TEST(Statements, WavefrontIsAWordBeforeLoopsAlone) {
  EXPECT_EQ(statements("wavefront while (a) b; wavefront do { } while (c); if (a) wavefront for (;;) break;"),
            "wavefront while a\n  b\nwavefront do-while c\n  block\nif a\n  wavefront for\n    break\n");
  EXPECT_EQ(statements("int wavefront = 3; wavefront++; wavefront = wavefront; wavefront(1);"),
            "decl wavefront i32 = 3\n(post++ wavefront)\n(= wavefront wavefront)\n(call wavefront 1)\n");
}

TEST(Statements, OfSupersteps) {
  EXPECT_EQ(statements("spawn (n) block(128) { barrier; barrier(RANK_REASSIGNED); require { a = 1; } require b = 2; "
                       "par { c; d; } }"),
            "spawn n block 128\n  block\n    barrier\n    barrier RANK_REASSIGNED\n    require\n      block\n        "
            "(= a 1)\n"
            "    require\n      (= b 2)\n    par\n      block\n        c\n        d\n");
}

TEST(Statements, LeaveContextualWordsFree) {
  EXPECT_EQ(statements("int block = 1; block.x = 2; par = 3; host = device * shared;"),
            "decl block i32 = 1\n(= (.x block) 2)\n(= par 3)\n(= host (* device shared))\n");
  EXPECT_EQ(statements("block.sync(); thread = 3;"), "(call block.sync)\n(= thread 3)\n");
}

// ---- expressions
TEST(Expressions, BindAsInC) {
  EXPECT_EQ(statements("x = a + b * c - d << 1 < e == f & g ^ h | i && j || k ? l : m, n;"),
            "(, (= x (?: (|| (&& (| (^ (& (== (< (<< (- (+ a (* b c)) d) 1) e) f) g) h) i) j) k) l m)) n)\n");
  EXPECT_EQ(statements("a = b += c; a ? b : c ? d : e; -a * !b; *p++ = ~&q->x.y[3];"),
            "(= a (+= b c))\n(?: a b (?: c d e))\n(* (- a) (! b))\n(= (* (post++ p)) (~ (& ([] (.y (->x q)) 3))))\n");
}

TEST(Expressions, TellCastsAndConstructionsApart) {
  EXPECT_EQ(statements("x = (int)a + (a)(b) + (float3)(c) + int(d) + float3(1, 2, 3).x + (device int*)p[0];"),
            "(= x (+ (+ (+ (+ (+ (cast i32 a) (call a b)) (cast f32x3 c)) (make i32 d)) (.x (make f32x3 1 2 3))) "
            "(cast (device * i32) ([] p 0))))\n");
  EXPECT_EQ(statements("float3(1, 2, 3); int(x); (float2(1, 2)).y;"),
            "(make f32x3 1 2 3)\n(make i32 x)\n(.y (make f32x2 1 2))\n");
  EXPECT_EQ(statements("sizeof(int[4]) + sizeof(x) + sizeof x;"),
            "(+ (+ (sizeof (array i32 4)) (sizeof x)) (sizeof x))\n");
}

TEST(Expressions, OfTheLanguage) {
  EXPECT_EQ(statements("a = new[n]int; b = dnew[n*2]float*; c = dtempnew[n]float3; d = new int; delete a; dfree(b);"),
            "(= a (new i32 n))\n(= b (dnew (* f32) (* n 2)))\n(= c (dtempnew f32x3 n))\n(= d (new i32))\n(delete "
            "a)\n(dfree b)\n");
  EXPECT_EQ(statements("t = reduce(+, x) * scan(max, y) + apply(<<, a, b) + f(a, &, - 3, *p);"),
            "(= t (+ (+ (* (call reduce (operator +) x) (call scan max y)) (call apply (operator <<) a b)) "
            "(call f a (operator &) (- 3) (* p))))\n");
  EXPECT_EQ(statements("thread.put(r, p, thread.get(r - 1, v)); thread.size = thread.oldrank;"),
            "(call thread.put r p (call thread.get (- r 1) v))\n(= thread.size thread.oldrank)\n");
  EXPECT_EQ(statements("s = \"a\" \"b\\n\"; 1u + 2l + 3ul + 1.5h;"), "(= s \"ab\\012\")\n(+ (+ (+ 1u 2l) 3ul) 1.5h)\n");
}

// ---- includes
struct Includes : ::testing::Test {
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("bsgp_parse_test_" + std::to_string(getpid()));
  void SetUp() override { std::filesystem::create_directories(folder / "inc"); }
  void TearDown() override { std::filesystem::remove_all(folder); }
  void write(const char* name, const char* content) { std::ofstream(folder / name) << content; }
};

TEST_F(Includes, AreSplicedInOnce) {
  write("main.bsgp",
        "#include \"a.bsgp\"\n#include \"./inc/../a.bsgp\"\n#include <b.bsgp>\n#include <lib.bsgp>\nint last;");
  write("a.bsgp", "#include \"main.bsgp\"\n#include \"inc/b.bsgp\"\nint a;");
  write("inc/b.bsgp", "int b;");
  SourceManager sources;
  Arena arena;
  Diagnostics diagnostics(sources);
  ParseOptions options;
  options.include_dirs = {(folder / "inc").string()};
  options.library = {{"lib.bsgp", "typedef int lib_int;"}};
  const std::vector<LibraryFile> before = {{"prelude.bsgp", "struct Pre { int x; };"}};
  const Prelude prelude(before);
  options.prelude = &prelude;
  sources = SourceManager::after(prelude.sources());
  SourcePos file = *sources.addFile((folder / "main.bsgp").string());
  ast::Program* program = parse(sources, arena, diagnostics, file, options);
  EXPECT_EQ(diagnostics.render(), "");
  EXPECT_EQ(ast::text(*program, sources),
            "struct Pre\n  field x i32\nglobal b i32\nglobal a i32\ntypedef lib_int i32\nglobal last i32\n");
  EXPECT_EQ(ast::text(*program, sources, file), "global last i32\n");
}

TEST_F(Includes, NameTheLibrarysFileThatIsNear) {
  ParseOptions options;
  options.library = {{"image.bsgp", "int of_images;"}};
  for (const char* name : {"image", "imgae.bsgp", "image.h"}) {
    Parsed parsed("#include <" + std::string(name) + ">\nint ok;", options);
    ASSERT_EQ(parsed.messages(), Names{"include_misspelt"}) << name;
    EXPECT_EQ(parsed.diagnostics.all()[0].help, "did you mean #include <image.bsgp>?");
  }
  Parsed other("#include \"imgae.bsgp\"\nint ok;", options); // a file of the program's
  EXPECT_EQ(other.messages(), Names{"include_not_found"});
}

TEST_F(Includes, SayWhereTheyLooked) {
  ParseOptions options;
  options.include_dirs = {"/x", "/y"};
  Parsed parsed("#include \"sub/no.bsgp\"\nint ok;", options);
  ASSERT_EQ(parsed.messages(), Names{"include_not_found"});
  EXPECT_EQ(parsed.diagnostics.all()[0].help, "tried sub/no.bsgp, /x/sub/no.bsgp, /y/sub/no.bsgp");
  EXPECT_EQ(parsed.tree(), "global ok i32\n");
}

TEST_F(Includes, EndAtALimit) {
  ParseOptions options;
  std::vector<std::pair<std::string, std::string>> texts;
  for (int i = 0; i < 300; ++i)
    texts.push_back({std::to_string(i), "#include <" + std::to_string(i + 1) + ">\n"});
  for (const auto& [name, text] : texts)
    options.library.push_back({name, text});
  EXPECT_EQ(Parsed("#include <0>\n", options).messages(), Names{"include_too_deep"});
}

TEST_F(Includes, ReportMistakesOfThePrelude) {
  const std::vector<LibraryFile> before = {{"prelude.bsgp", "struct Pre { int x }"}};
  const Prelude prelude(before);
  ASSERT_FALSE(prelude.messages().empty());
  EXPECT_EQ(diagName(prelude.messages()[0].kind), "expected_semicolon");
}

// ---- messages

// What stands alone is a whole file; what starts with a blank is put into a function.
const std::vector<std::pair<std::string, std::string>> kWrong = {
    {"expected_semicolon", " x = 1\n y = 2;"},
    {"expected_semicolon", " x = 1 y = 2; z = 3;"},
    {"expected_semicolon", " int x = 1\n"},
    {"expected_semicolon", "int x\nint y;"},
    {"expected_semicolon", "struct S { int x int y; };"},
    {"expected_semicolon", "struct S { int x; }\nint f() { }"},
    {"expected_semicolon", " do { } while (x)\n y = 1;"},
    {"expected_token", " if (a b) { c; }"},
    {"expected_token", " f(1, 2; g();"},
    {"expected_token", " x = a[3; y = 2;"},
    {"expected_token", " while x { y = 1; }"},
    {"expected_token", " for (i = 0, i < 3) { y; }"},
    {"expected_token", " x.(3) = 1;"},
    {"reserved_word", " int if = 3;"},
    {"builtin_type_name", " int = 3;"},
    {"builtin_type_name", " x = int;"},
    {"expected_token", " x = (S){1, 2};"},
    {"expected_token", "int a[2] = {1, 2 3, 4};"},
    {"expected_token", "int f(int a,) { }"},
    {"expected_token", "int f(3) { }"},
    {"expected_token", "int f(int a b) { x = 3; }"},
    {"expected_token", "int f() x = 3;"},
    {"expected_token", "struct { int x; } 3;"},
    {"expected_token", "struct S { 3; int x; };"},
    {"expected_token", "enum E { A B, C };"},
    {"expected_token", "enum E { 3 };"},
    {"expected_token", " x = dnew[3];"},
    {"expected_token", " switch (x) y;"},
    {"expected_token", " spawn n { }"},
    {"expected_token", "inline 3;"},
    {"expected_expression", " x = ; y = 2;"},
    {"expected_expression", " x = a +; y = 2;"},
    {"expected_expression", " f(a,);"},
    {"expected_expression", " x = barrier;"},
    {"expected_expression", " x = (a + ) * 3;"},
    {"expected_expression", " ) x;"},
    {"unclosed_brace", "f() { if (a) { b; }"},
    {"unclosed_brace", "f() { x = 1"},
    {"unclosed_brace", "f() {\n  if (a) {\n    b;\n}\ng() {\n  c;\n}\nint h(int x) {\n}\n"},
    {"unclosed_brace", "struct S { int x;"},
    {"unclosed_brace", "enum E { A,"},
    {"unclosed_brace", "int a[] = { 1, 2"},
    {"extra_brace", "f() { a; } }\ng() { b; }"},
    {"statement_outside", "f() {\n a; }\n b = 1;\n c = 2;\n}\ng() { }"},
    {"statement_outside", "for (;;) x;"},
    {"statement_outside", "3;"},
    {"unknown_type_name", " Foo x = 3; y = 1;"},
    {"unknown_type_name", " Foo* x = 3; y = 1;"},
    {"unknown_type_name", " a b c d;"},
    {"misspelt_word", " retrun x;"},
    {"unknown_type_name", " unsinged int x = 3;"},
    {"unknown_type_name", "unsinged int x;"},
    {"unknown_type_name", "Foo f(int x) { }"},
    {"unknown_type_name", "int f(Foo x, Foo* y[3]) { }"},
    {"unknown_type_name", "struct S { Foo x; };"},
    {"bad_type_words", " unsigned float x;"},
    {"bad_type_words", " long long long x;"},
    {"bad_type_words", "long double x;"},
    {"builtin_type_name", "float half = 3;"},
    {"builtin_type_name", "struct float3 { int x; };"},
    {"builtin_type_name", "typedef int f32;"},
    {"builtin_type_name", "typedef float uint;"},
    {"foreign_word", "__global__ void f(float* p) { }"},
    {"foreign_word", "void f(float* __restrict__ p) { }"},
    {"foreign_word", "template <class T> T f(T x) { return x; }"},
    {"foreign_word", "class C { public: int x; };"},
    {"foreign_word", "namespace n { int x; }"},
    {"foreign_word", "using namespace std;"},
    {"foreign_word", "union U { int x; float y; };"},
    {"foreign_word", "def f(x) { }"},
    {"foreign_word", "extern \"C\" int puts(char* s);"},
    {"foreign_word", " volatile int x = 3;"},
    {"foreign_word", " __shared__ float t[3];"},
    {"foreign_word", " let x = 3; y = 1;"},
    {"foreign_word", " foreach (x in y) { z; }"},
    {"foreign_word", " for each (x in y) { z; }"},
    {"foreign_word", " for (let i = 0; i < 3; i++) { z; }"},
    {"foreign_word", " for (int i : list) { z; }"},
    {"foreign_word", " goto done; x = 1;"},
    {"foreign_word", " done: x = 1;"},
    {"foreign_word", " std::vector<int> v;"},
    {"foreign_word", " x = static_cast<int>(y);"},
    {"foreign_word", " if (a and b) c;"},
    {"foreign_word", " if (a) b; elif (c) { d; }"},
    {"foreign_word", " delete[] p;"},
    {"foreign_word", " union { int x; } u;"},
    {"nesting_too_deep", " x = " + std::string(5000, '(') + "1" + std::string(5000, ')') + "; y = 1 +;"},
    {"include_not_found", "#include \"no.bsgp\"\nint x;"},
    {"include_inside", "f() {\n#include \"no.bsgp\"\n}"},
    {"include_inside", "int a[] = {\n#include \"no.bsgp\"\n};"},
    {"spawn_without_body", " spawn (n);"},
    {"spawn_property_twice", " spawn (n) width(4) width(8) { }"},
    {"spawn_property_unknown", " spawn (n) lanes(4) { }"},
    {"barrier_argument", " barrier(3);"},
    {"barrier_argument", " barrier(RANK);"},
    {"wavefront_without_loop", " wavefront if (x) y;"},
    {"wavefront_without_loop", " wavefront { x; }"},
    {"wavefront_without_loop", " wavefront x = 3;"},
    {"wavefront_twice", " wavefront wavefront while (x) y;"},
    {"partition_twice", " spawn (n) partition partition { x; }"},
    {"wavefront_unrolled", " wavefront unroll while (x) y;"},
    {"wavefront_unrolled", " unroll(2) wavefront while (x) y;"},
    {"case_outside_switch", " case 3: x;"},
    {"case_outside_switch", " switch (x) { case 1: { default: y; } }"},
    {"else_without_if", " else x = 3;"},
    {"asm_without_else", " asm(\"nop;\" : : \"r\"(x)); y = 3;"},
    {"asm_without_else", " asm volatile(\"nop;\"); else x = 3;"},
    {"nested_function", " int g(int x) { return x; } y = 3;"},
    {"local_type", " struct L { int x; }; L l;"},
    {"local_type", " typedef int T; x = 3;"},
    {"local_type", " enum { A };"},
    {"misplaced_specifier", " static int x;"},
    {"misplaced_specifier", "inline int x;"},
    {"misplaced_specifier", "shared float x[3];"},
    {"misplaced_specifier", "int f(static int x) { }"},
    {"misplaced_specifier", "struct S { extern int x; };"},
    {"misplaced_specifier", "host f() { }"},
    {"space_without_pointer", " host int x;"},
    {"space_without_pointer", "device float f() { }"},
    {"space_without_pointer", "int f(host int x) { }"},
    {"space_without_pointer", "host int host* p;"},
    {"complex_declarator", " int (*fp)(int); x = 1;"},
    {"complex_declarator", "int (*fp)(int);"},
    {"complex_declarator", "int f(int (*fp)(int)) { }"},
    {"unnamed_parameter", "int f(int, float x) { }"},
    {"default_of_reference", "int f(int& x = 3) { }"},
    {"reference_here", "struct P { int& x; }; "},
    {"default_before", "int f(int x = 3, int y) { }"},
    {"default_without_body", "int f(int x = 3);"},
    {"identity_of_two", "inline auto three(a, b, c) identity(0) { return a; }"},
    {"variadic_not_extern", "int f(int x, ...) { }"},
    {"designator", "S s = {.x = 3, .y = 4};"},
    {"designator", " int a[3] = {[0] = 3}; x = 1;"},
    {"new_count_after_type", " p = new int[3];"},
    {"new_count_after_type", " p = new int<3>; y = 1;"},
    {"extents_apart", " p = dnew[3][4]float;"},
    {"new_with_value", " p = new int(3); y = 1;"},
    {"type_name_taken", "struct S { int x; };\nS S(int a) { }"},
    {"builtin_type_name", "float half2(float x) { }"},
    {"builtin_type_name", "half(float x) { }"},
    {"reserved_word", " barrier = 3; y = 1;"},
    {"reserved_word", "struct S { int spawn; };"},
    {"reserved_word", "f(int require) { }"},
    {"too_many_extents", " spawn (4, 4, 4, 4) { y; }"},
    {"one_dimension", " spawn (4) block(4, 4) { y; }"},
    {"too_many_extents", " p = dnew[1, 2, 3, 4]int;"},
    {"extents_behind_name", " int u[,] = new[1, 2]int; y = 1;"},
    {"too_many_extents", " p[1, 2, 3, 4] = y;"},
    {"too_many_extents", " int[,,,] u; y = 1;"},
    {"one_dimension", " int a[1, 2]; y = 1;"},
    {"generic_struct", "struct Pair<T> { T a; T b; };\nf(Pair<int> p) { }"},
    {"dlist_of_what", " dlist l; y = 1;"},
    {"dlist_of_what", "f(dlist<int> l) { }"},
    {"dlist_of_what", " dlist unsigned int l; y = 1;"},
    {"space_twice", "f(host const host char* s) { }"},
    {"space_twice", " int host device* p; y = 1;"},
    {"misspelt_word", " spwan (n) { y = 1; }"},
    {"misspelt_word", " spawn (n) { requrie { y = 1; } z = y; }"},
    {"misspelt_word", " fro (i = 0; i < n; i++) y = 1;"},
    {"misspelt_word", " if (n) { y = 1; } esle { y = 2; }"},
    {"foreign_word", " k<<<1, 2>>>(p); y = 1;"},
    {"lambda_captures", " f([&](int x) { return x; }); y = 1;"},
    {"lambda_default", " f([](int x = 3) { return x; }); y = 1;"},
    {"foreign_word", "f(int&& x) { }"},
    {"foreign_word", " forall (int i = 0; i < n; i++) { z; }\n y = 1;"},
    {"generic_struct", "template <typename T> struct Box { T value; };\nf(Box<int> b) { }"},
    {"type_parameter_twice", "struct Box(T, T) { T value; };"},
    {"hides_parameter", "struct Box(const N) { int f(int N) { return 1; } };"},
    {"angle_arguments", "struct Box(T) { T value; };\nf(Box<int> b) { }"},
    {"generic_function", "f<T>(T x) { T y = x; }"},
    {"generic_function", "inline auto f(T)(T x) { T y = x; return y; }"},
    {"foreign_word", "template <typename T> T f(T x) { T y = x; return y; }"},
    {"type_arguments", " x = f<int>(3); y = x;"},
    {"type_arguments", " S<float> p; y = p;"},
    {"not_overloadable", "operator&&(a, b) { }"},
    {"not_overloadable", "operator()(a, b) { }"},
    {"not_overloadable", "operator=(a, b) { }"},
    {"not_overloadable", "operator+=(a, b) { }"},
    {"not_overloadable", "operator>>=(a, b) { }"},
    {"reference_result", "int& f(int& x) { return x; }"},
    {"method_and_field", "struct S { int f(int a) { return a; } int f; };"},
    {"method_of_unnamed", "typedef struct { int f(int a) { return a; } int x; } S;"},
    {"constructor", "struct S { S(int a) { } int x; };"},
    {"destructor", "struct S { ~S() { } int x; };"},
    {"operator_in_struct", "struct S { S operator+(S b); int x; };"},
    // The lexer has said it: the parser stays silent.
    {"unterminated_string", " puts(\"hello);\n x = 1;"},
    {"unterminated_comment", "f() { a; /* b; }"},
    {"typographic_quote", " x = \xe2\x80\x9chello\xe2\x80\x9d; y = 1;"},
    {"stray_character", " x = a @ b; y = 1;"},
};

TEST(ParserMessages, SayEachSlipOnceAndGoOn) {
  for (const auto& [name, source] : kWrong) {
    bool statement = source[0] == ' ';
    bool types = source.find('S') != std::string::npos && source.find("struct S") == std::string::npos;
    std::string prefix = types ? "struct S { int x; };\n" : "";
    bool whole = name != "unclosed_brace";
    Parsed parsed(prefix + (statement ? "f() {\n" + source + "\n}\n" : source) +
                  (whole ? "\nint sound() { return 1; }\n" : ""));
    EXPECT_EQ(parsed.messages(), Names{name}) << source << "\n" << parsed.diagnostics.render();
    if (whole && name != "unterminated_comment") {
      EXPECT_NE(parsed.tree().find("function sound"), std::string::npos) << source;
    }
  }
}

TEST(ParserMessages, AreAllTested) {
  std::set<std::string> tested = {"opened_here", "include_unreadable", "include_too_deep", "include_misspelt"};
  for (const auto& [name, source] : kWrong)
    tested.insert(name);
#define DIAG(kind, severity, message, help) EXPECT_TRUE(tested.count(#kind)) << #kind;
#include "diag/parse_messages.def"
#undef DIAG
}

TEST(ParserMessages, PointAtBothParentheses) {
  Parsed parsed("f() {\n  x = (1 + 2;\n}");
  EXPECT_EQ(parsed.messages(true), (Names{"expected_token", "opened_here"}));
}

TEST(ParserMessages, BlameTheBraceThatIsMissing) {
  Parsed parsed("f() {\n  while (a) {\n    if (b) {\n      c;\n  }\n}\ng() {\n}\n");
  ASSERT_EQ(parsed.messages(), Names{"unclosed_brace"});
  EXPECT_EQ(parsed.sources.at(parsed.diagnostics.all()[0].range.begin).line, 3u);
  EXPECT_NE(parsed.tree().find("function g"), std::string::npos);
}

TEST(ParserMessages, SuggestTheWordMeant) {
  Parsed parsed("f() { flaot x; }");
  EXPECT_EQ(parsed.diagnostics.all().at(0).help, "did you mean 'float'?");
}

TEST(ParserMessages, TakeNothingButTypesForTypeParameters) {
  EXPECT_EQ(Parsed("struct S { int x; };\nint operator+ < 3 (S a, S b) { return 1; }").messages(),
            Names{"expected_token"});
}

TEST(ParserMessages, FindSeveralSlipsInOneFile) {
  Parsed parsed("int f() {\n  x = ;\n  if (a b) { y = ; }\n  int z = 3\n  return z;\n}\nstruct S { int a b; float c "
                "};\nint g( { }\n");
  EXPECT_EQ(parsed.messages(),
            (Names{"expected_expression", "expected_token", "expected_expression", "expected_semicolon",
                   "expected_semicolon", "expected_semicolon", "expected_token"}))
      << parsed.diagnostics.render();
}

// ---- depth, size, robustness
std::string repeat(std::string_view part, size_t times) {
  std::string out;
  for (size_t i = 0; i < times; ++i)
    out += part;
  return out;
}

TEST(Depth, IsBoundedForChainsAndNesting) {
  constexpr size_t n = 100000;
  const std::string sources[] = {
      "f() { x = " + repeat("a + ", n) + "a; }",
      "f() { x = a" + repeat(".b", n) + "; }",
      "f() { x = a" + repeat("[0]", n) + "; }",
      "f() { " + repeat("a, ", n) + "a; }",
      "f() { " + repeat("if (a) b; else ", n) + "c; }",
      "f() { x = " + repeat("(", n) + "a" + repeat(")", n) + "; }",
      "f() { x = " + repeat("- ", n) + "a; }",
      "f() { x = " + repeat("a ? b : ", n) + "c; }",
      "f() { " + repeat("a = ", n) + "b; }",
      "f() { " + repeat("{", n) + repeat("}", n) + " }",
      "f() { " + repeat("for (;;) ", n) + "; }",
      "f() { x = " + repeat("f(", n) + repeat(")", n) + "; }",
      "f() { x = " + repeat("(int)", n) + "a; }",
      "f() { int " + repeat("*", n) + "p; }",
      "f() { int a" + repeat("[1]", n) + "; }",
      "f() { x = sizeof(int" + repeat("<>", n) + "); }",
      "int x = " + repeat("a + ", n) + "a;",
      "int a[] = " + repeat("{", n) + repeat("}", n) + ";",
      repeat("dlist(", n) + "int" + repeat(")", n) + " x;",
  };
  for (const std::string& source : sources) {
    Parsed parsed(source + "\nint sound;");
    EXPECT_EQ(parsed.messages(), Names{"nesting_too_deep"})
        << source.substr(0, 30) << parsed.diagnostics.render().substr(0, 1000);
    std::string tree = parsed.tree(); // recurses
    EXPECT_NE(tree.find("global sound"), std::string::npos) << source.substr(0, 30);
  }
}

TEST(Depth, AllowsWhatProgramsHave) {
  treeOf("f() { x = " + repeat("a + ", 3500) + "a; " + repeat("if (a) b; else ", 3500) + "c; y = " + repeat("(", 900) +
         "a" + repeat(")", 900) + "; }");
  treeOf("f() { g(" + repeat("a, ", 100000) + "a); }");
}

TEST(Parser, KeepsUpWithTenMegabytes) {
  std::string source;
  for (int i = 0; source.size() < 10u << 20; ++i)
    source += "float3 function_" + std::to_string(i) +
              "(float3 a, int* p) {\n  float x = a.x * 2.5f + p[3];\n"
              "  for (int i = 0; i < 10; i++) y += f(x, i) * (float)i;\n  return float3(x, y, 1); // done\n}\n";
  auto start = std::chrono::steady_clock::now();
  Parsed parsed(std::move(source));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30)); // a hang, not a measurement
  EXPECT_TRUE(parsed.diagnostics.all().empty());
}

TEST(Parser, SurvivesTokenSoup) {
  static const char* const kPieces[] = {
#define WORD(kind, spelling) spelling,
#define CONTEXT(kind, spelling) spelling,
#define PUNCT(kind, spelling) spelling,
#include "lex/tokens.def"
      "x",       "y",   "S", "float3",          "1",   "2.5f", "'a'",   "\"s\"", "\n",
      "\nf() {", "\n}", "@", "#include <no>\n", "let", "rank", "(int)", "asm(",  "volatile"};
  std::mt19937 random(7);
  for (int round = 0; round < 4000; ++round) {
    std::string source = round % 3 ? "struct S { int x; };\nf(int n) {\n" : "";
    for (unsigned i = random() % 80; i > 0; --i)
      source += std::string(kPieces[random() % std::size(kPieces)]) + " ";
    Parsed parsed(source);
    parsed.tree();
    parsed.diagnostics.render();
    for (const Diagnostic& d : parsed.diagnostics.all())
      ASSERT_LE(d.range.begin, d.range.end) << source;
  }
}

// Sound programs with one token dropped, doubled or replaced.
TEST(Parser, SurvivesMutatedPrograms) {
  SourceManager sources;
  Diagnostics diagnostics(sources);
  SourcePos file = sources.addText("l", kListing1);
  std::string_view source = sources.text(file);
  std::vector<std::string_view> words;
  for (size_t at = 0, next; at < source.size(); at = next) {
    next = at + 1;
    while (next < source.size() && isalnum(source[next]) && isalnum(source[at]))
      ++next;
    words.push_back(source.substr(at, next - at));
  }
  std::mt19937 random(3);
  for (int round = 0; round < 3000; ++round) {
    std::vector<std::string_view> mutated = words;
    for (unsigned i = 1 + random() % 3; i > 0; --i) {
      size_t at = random() % mutated.size();
      switch (random() % 3) {
      case 0:
        mutated.erase(mutated.begin() + ptrdiff_t(at));
        break;
      case 1:
        mutated.insert(mutated.begin() + ptrdiff_t(at), mutated[random() % mutated.size()]);
        break;
      default:
        mutated[at] = mutated[random() % mutated.size()];
        break;
      }
    }
    std::string text;
    for (std::string_view word : mutated)
      text += word;
    Parsed parsed(text);
    parsed.tree();
    EXPECT_LE(parsed.diagnostics.errors(), 8u) << text << parsed.diagnostics.render();
  }
}

} // namespace
} // namespace bsgp
