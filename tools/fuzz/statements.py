"""Random statements over variables of every kind, on both sides: mostly of fitting types, so that they reach what comes behind the parser, now and
then of any. The programs mean nothing and are not run."""
import re

HEAD = """
struct S { int x; float v[3]; float3 p; };
struct Q { S s; int* d; uchar b; };
struct List { int first; float data[2][2]; };
struct Held { int x; dlist(int) list, lists[2]; List plain; };
enum E { ONE = 1, TWO };
typedef float3 point;
const int TABLE[4] = {1, 2, 3, 4};
const float3 AXIS = {1, 0, 0};
const float ONE_HALF = 0.5f;
int counter;
float global_array[3];
S global_s;
extern int puts(char* s);
S operator+(S a, S b) { S r = a; r.x += b.x; return r; }
int add(int a, int b) { return a + b; }
float add(float a, float b) { return a + b; }
S made(int x) { S s; s.x = x; return s; }
dlist(int) listed(int n) { dlist(int) l; l.resize(n); return l; }
Held held(dlist(int) l) { Held h; h.list = l; h.lists[1] = l; return h; }
inline auto same(x) { return x; }
inline auto sameOf(& x) { return x; }
int at(int* t, int i) { return t[i]; }
swap2(int& a, int& b) { int t = a; a = b; b = t; }
set(int* p, int x) { *p = x; }
inline auto twice(op, x) { return op(x, x); }
inline auto larger(a, b) identity(lowest(a)) { return a > b ? a : b; }
inline auto shifted(x) { y = x; barrier; return thread.get((thread.rank + 1) % thread.size, y); }
inline touched(& x) { x += 1; }
int* picked(int* a, int* b, bool c) { return c ? a : b; }
"""

SCALARS = ["bool", "char", "short", "int", "long", "uchar", "ushort", "uint", "ulong", "half", "float", "double"]
VECTORS = ["float3", "int2", "float4", "bool2", "char4", "half2", "double2", "uint3"]
TYPES = [*SCALARS, *VECTORS, "S", "Q", "E", "point", "int*", "float*", "S*", "void*", "char*", "dlist(int)", "dlist(S)", "Held", "auto", "host int*", "device float*",
         "shared int*", "int**", "void", "List", "const int", "float<>", "typeof(i)"]
HOST = {"int": ["n", "a[1]", "s.x", "sp->x", "counter", "k", "TABLE[n]", "l.n", "p[0]", "h[n]", "hi"], "float": ["f", "w[1][2]", "s.v[n]", "AXIS.x", "ONE_HALF", "global_array[n]"],
        "bool": ["b"], "half": ["hf"], "long": ["lo"], "ulong": ["u"], "char": ["c"], "double": ["d"], "short": ["sh"], "uint": ["ui"],
        "float3": ["v", "s.p", "AXIS", "sp->p"], "int2": ["i2"], "bool2": ["b2"], "S": ["s", "*sp", "local", "global_s", "q.s"], "Q": ["q"],
        "int*": ["p", "h", "a", "q.d", "&n", "&s.x", "hp"], "float*": ["fp", "w[0]", "s.v", "global_array", "sp->v"], "S*": ["sp", "&s", "&local"],
        "dlist(int)": ["l", "m", "he.list", "he.lists[1]", "he.lists[n]", "listed(3)"], "dlist(S)": ["ls"], "Held": ["he", "others[1]", "held(l)"], "char*": ['"text"', "text"]}
DEVICE = {"int": ["i", "t.x", "pa[2]", "pa[i]", "sha[block.rank]", "n", "p[i]", "l[i]", "TABLE[i]", "thread.rank", "block.size", "a[i]", "total", "thread.size", "warp.rank", "dp[i]"],
          "float": ["df", "t.v[1]", "t.v[i]", "w[i][1]", "fp[i]", "AXIS.y", "st[i].p.x", "s.v[i]"], "bool": ["db", "b"], "half": ["dh", "hf"], "long": ["dl", "lo"],
          "ulong": ["du", "u"], "char": ["dc", "c"], "double": ["dd"], "short": ["ds"], "uint": ["dui"], "float3": ["dv", "t.p", "v", "AXIS", "st[0].p"], "int2": ["di2"],
          "bool2": ["db2"], "S": ["t", "s", "st[i]", "*dsp", "ls[i]"], "Q": ["dq", "q"], "int*": ["pp", "p", "pa", "&pa[i]", "&i", "dq.d", "sha", "&sha[i]", "l.data", "dp"],
          "float*": ["fp", "t.v", "&df"], "S*": ["dsp", "&t", "st"], "dlist(int)": ["l", "m", "he.list", "he.lists[1]", "he.lists[n]", "he.lists[i]", "others[0].list"], "dlist(S)": ["ls"], "Held": ["he", "others[1]"],
          "char*": ['"text"']}
HOST_NAMES = """  int a[4] = {1, 2, 3}, hi = 3; float w[2][3]; S local; Q q; dlist(S) ls; dlist(int) m; Held he, others[2]; float3 v = float3(1); int2 i2 = int2(0); bool2 b2 = bool2(true);
  const int k = 7; bool b = n > 3; half hf = 1.5h; long lo = n; ulong u = 5ul; char c = 'c'; double d = 0.5; short sh = 2; uint ui = 3u; float f = 0.25f;
  int* hp = new[4]int; int total = 0;
"""
DEVICE_NAMES = """    shared int sha[]; shared S st[8];
    int i = (int)thread.rank, pa[5] = {1}; float df = i; S t = made(i); Q dq; bool db = i > 3; half dh = (half)i; long dl = i; ulong du = 1ul; char dc = 1; double dd = i; short ds = 1;
    uint dui = 3u; float3 dv = float3(i); int2 di2 = int2(i); bool2 db2 = bool2(db); int* pp = &pa[1]; int* dp = p + i; S* dsp = &t;
"""
BINARY = "+ - * / % & | ^ << >> < > <= >= == != && ||".split()
ASSIGNED = "= = = += -= *= /= %= &= |= ^= <<= >>=".split()
UNARY = ["-", "!", "~", "+"]
NUMBERS = ["0", "1", "-1", "3", "7u", "2l", "5ul", "0.5f", "1.5", "2h", "1.5h", "true", "'c'", "NULL", "ONE", "2147483647", "INFINITY", "1e9f", "0x80000000u"]
OPERATORS = ["+", "*", "&", "|", "^", "max", "min", "rop_add", "larger", "add", "-", "twice", "<"]
FUNCTIONS = {"int": ["add({int}, {int})", "at({int*}, {int})", "twice(add, {int})", "twice(+, {int})", "abs({int})", "popcount({uint})", "float_as_int({float})",
                     "atomic_add(&{int}, {int})", "warp.shuffle({int}, {int})", "reduce({op}, {int})", "block.reduce({op}, {int})", "scan({op}, {name})", "thread.get({int}, {name})",
                     "larger({int}, {int})", "thread.fork({int})", "shifted({int})", "block.scan({op}, {int})", "sort_idx({int})", "histogram({int*}, {int}, {int})",
                     "reduce({op}, {int*}, {int})", "sizeof({any})", "identity({op}, {any})", "compact({dlist(int)}, {int}, {bool}, LIST_CLEAR)", "{dlist(int)}.length", "{dlist(int)}[{int}]", "peek({int*}, {int})", "({int}, {int})", "clamp({int}, {int}, {int})"],
             "float": ["sin({float})", "min({float}, {float})", "max({any}, {float})", "dot({float3}, {float3})", "length({float3})", "fma({float}, {float}, {float})", "pow({float}, {any})",
                       "reduce({op}, {float})", "shifted({float})", "scan({op}, {name})", "int_as_float({int})", "mix({float}, {float}, {float})"],
             "bool": ["any({bool2})", "all({bool2})", "isnan({float})", "warp.any({bool})", "block.any({bool})", "reduce({op}, {bool})", "target_is_gpu()"],
             "float3": ["float3({float})", "float3({float}, {float}, {float})", "cross({float3}, {float3})", "normalize({float3})", "min({float3}, {float3})", "select({bool}, {float3}, {float3})",
                        "float3({any}, {any})", "reduce({op}, {float3})", "{float3}.zyx", "fabs({float3})", "{ {float}, {float}, {float} }"],
             "S": ["made({int})", "S({int}, {any}, {float3})", "shifted({S})", "{S} + {S}", "warp.shuffle({S}, {int})", "thread.get({int}, {name})"],
             "int*": ["picked({int*}, {int*}, {bool})", "new[{int}]int", "dnew[{int}]int", "{int*} + {int}", "({int*}){any}", "&{int*}[{int}]", "dtempnew[{int}]int", "({bool} ? {int*} : {int*})"],
             "dlist(int)": ["({bool} ? {dlist(int)} : {dlist(int)})", "(m, l)", "listed({int})", "same({dlist(int)})", "{Held}.list", "new dlist(int)"],
             "Held": ["held({dlist(int)})", "sameOf({Held})", "Held({int}, {dlist(int)}, {any}, {any})"], "long": ["(long){any}", "clock({int})", "{int*} - {int*}"], "ulong": ["(ulong){int*}", "(ulong){any}"],
             "void": ["swap2({int}, {int})", "set({int*}, {int})", "touched({name})", "copy({int*}, {int*}, {int})", "sort({int*}, {int})", "printf(\"%d\\n\", {int})", "assert({bool})",
                      "assert({bool}, \"why\")", "thread.put({int}, {name}, {any})", "thread.sortby({int})", "thread.kill({bool})", "block.sync()", "dfree({int*})", "delete {int*}",
                      "{dlist(int)}.resize({int})", "{dlist(int)}.swap({dlist(int)})", "memory_fence()", "store_stream(&{int}, {int})", "prefetch({int*})", "segmented_scan({op}, {name}, {bool})",
                      "sincos({float}, {float}, {float})", "warp.sync()", "thread.split({bool})", "atomic_store(&{int}, {int})", "{any}({any})", "{dlist(int)}.reserve({int})", "{dlist(int)} = {dlist(int)}", "{Held} = {Held}", "{dlist(int)}.push_back({int})", "poke({int*}, {int}, {int})",
                      "auto y = {dlist(int)}.detach()"]}
STATEMENTS = ["{E};"] * 6 + ["{D}"] * 5 + ["if ({bool}) {s} else {s}", "for (int j = 0; j < {int}; j++) {s}", "while ({bool}) {s}", "do {s} while ({bool});", "{ {s} {s} }",
              "switch ({int}) { case 1: {s} break; default: {s} }", "return {any};", "return;", "break;", "continue;", "barrier;", "require {s}", "require { {s} {s} }", "par { {s} {s} }",
              "barrier(RANK_REASSIGNED); {s}", "barrier(RANK_REASSIGNED); thread.oldrank = {int};", "thread.size = {int};", "spawn ({int}) {s}", "spawn ({int}) block({int}) { {s} }", "spawn ({int}) width({int}) {s}", "spawn ({int}) partition {s}",
              "unroll for (int j = 0; j < 4; j++) {s}", "wavefront while ({bool}) {s}", "wavefront for (int j = 0; j < {int}; j++) {s}", "wavefront do {s} while ({bool});", "shared {T} z[{int}];", 'asm("add.s32 %0, %1, %2;" : "=r"({int}) : "r"({int}), "r"({int})) else {s}', "total = {int};", "y = {any};",
              "const {T} z = {any};", "{T} z[3] = { {any}, {any} };", "{T} z[2][{int}];", "auto z = {any};", "if (sizeof({any}) > 3) {s} else barrier;", "for ({D} {bool}; {E}) {s}", "barrier; {s}"]

PLACE = re.compile(r"\{([A-Za-z]\w*(?:\*|\(\w+\))?)\}")  # other braces are the program's


class Statements:
    def __init__(self, pick):
        self.pick, self.names = pick, HOST

    def chance(self, p):
        return self.pick.random() < p

    def filled(self, pattern, depth):
        """The pattern with a text for each {what}."""
        return PLACE.sub(lambda found: self.piece(found[1], depth), pattern)

    def piece(self, what, depth):
        if what == "s":
            return self.statement(depth - 1)
        if what == "T":
            return self.pick.choice(TYPES)
        if what == "op":
            return self.pick.choice(OPERATORS)
        if what == "name":
            return self.pick.choice(self.pick.choice(list(self.names.values())))
        if what == "E":
            return self.effect(depth)
        if what == "D":
            return self.declaration(depth)
        return self.expression(self.any() if what == "any" else what, depth - 1)

    def any(self):
        return self.pick.choice(list(self.names))

    def expression(self, type_, depth):
        if self.chance(0.04):
            type_ = self.any()
        if depth <= 0 or self.chance(0.25):
            return self.leaf(type_)
        ways = [self.operation, self.operation, self.call, self.call, self.cast, self.choice, self.assignment, self.odd]
        return self.pick.choice(ways)(type_, depth)

    def leaf(self, type_):
        if type_ in SCALARS and self.chance(0.3):
            return self.pick.choice(NUMBERS)
        return self.pick.choice(self.names.get(type_, NUMBERS))

    def operation(self, type_, depth):
        if self.chance(0.2):
            return f"({self.pick.choice(UNARY)}{self.expression(type_, depth - 1)})"
        if type_ == "bool":
            kind = self.any()
            return f"({self.expression(kind, depth - 1)} {self.pick.choice(BINARY)} {self.expression(kind, depth - 1)})"
        return f"({self.expression(type_, depth - 1)} {self.pick.choice(BINARY[:10])} {self.expression(type_, depth - 1)})"

    def call(self, type_, depth):
        return self.filled(self.pick.choice(FUNCTIONS.get(type_, ["{any}"])), depth)

    def cast(self, type_, depth):
        return f"({type_})({self.expression(self.any(), depth - 1)})"

    def choice(self, type_, depth):
        return f"({self.expression('bool', depth - 1)} ? {self.expression(type_, depth - 1)} : {self.expression(type_, depth - 1)})"

    def assignment(self, type_, depth):
        if self.chance(0.3):
            return f"({self.leaf(type_)}{self.pick.choice(['++', '--'])})"
        return f"({self.leaf(type_)} {self.pick.choice(ASSIGNED)} {self.expression(type_, depth - 1)})"

    def odd(self, type_, depth):
        """A member, an element, the address of something that may have none."""
        inner = self.expression(self.any(), depth - 1)
        return self.pick.choice(["{0}.x", "{0}[1]", "{0}[n]", "*{0}", "&{0}", "{0}.xy", "{0}.v[1]", "{0}->x", "{0}.data[0]", "{0}.n", "typeof({0})(1)", "{0}, {0}", "(&{0})[0]",
                                 "{0}.p.zx", "{0}()", "{0}[thread.rank]", "S({0})", "float4({0})"]).format(inner)

    def effect(self, depth):
        if self.chance(0.5):
            target = self.any()
            place = self.leaf(target) if self.chance(0.8) else self.expression(target, depth - 1)
            return f"{place} {self.pick.choice(ASSIGNED)} {self.expression(target, depth)}"
        return self.filled(self.pick.choice(FUNCTIONS["void"]), depth) if self.chance(0.6) else self.expression(self.any(), depth)

    def declaration(self, depth):
        type_ = self.pick.choice(TYPES) if self.chance(0.5) else self.any()
        pattern = self.pick.choice(["{t} z = {e};", "{t} z = {e};", "{t} z;", "{t} z[3];", "{t} z = { {e}, {e} };", "{t} z({e});", "{t}& z = {e};", "const {t} z = {e};", "{t} z[{e}] = { {e} };"])
        return pattern.replace("{t}", type_).replace("{e}", self.expression(type_, depth))

    def statement(self, depth):
        if depth <= 0:
            return self.filled("{E};", 1)
        return self.filled(self.pick.choice(STATEMENTS), depth)

    def several(self):
        return "".join(f"    {self.statement(self.pick.randrange(1, 4))}\n" for _ in range(self.pick.choice((0, 1, 1, 2))))

    def function(self):
        kind = self.pick.choice(["{t} g({t} x) { {b} }\n", "inline auto g(x, & r) { {b} }\n", "export {t} g({t} x, {t} r) { {b} }\n", "{t} g({t}& x) { {b} }\n", "{t} g({t} x[3]) { {b} }\n"])
        return kind.replace("{t}", self.pick.choice(TYPES)).replace("{b}", self.statement(2))

    def program(self):
        self.names = HOST
        parts = [HEAD, self.function() if self.chance(0.2) else "", f"{self.declaration(2)}\n" if self.chance(0.1) else "",
                 "run(int n, int* p, float* fp, host int* h, S s, S* sp, dlist(int) l, char* text) {\n", HOST_NAMES, self.several() if self.chance(0.5) else ""]
        self.names = DEVICE
        body = DEVICE_NAMES + self.several() + ("    barrier;\n" + self.several() if self.chance(0.5) else "")
        parts += ["  spawn (n) {\n", body, "  }\n"]
        self.names = HOST
        main = self.pick.choice(["int main()", "main(int argc, char** argv)", f"{self.pick.choice(TYPES)} main()"]) + " { dlist(int) l; run(3, dnew[9]int, dnew[9]float, new[9]int, made(1), dnew[2]S, l, \"\"); }\n"
        return "".join(parts + ["}\n", main if self.chance(0.5) else ""])
