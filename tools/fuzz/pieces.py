"""The parts of a generated program that stay the same."""

PRELUDE = """

struct Item {
  int a;
  float b;
  int c[3];
};

const int TABLE[8] = {3, 1, 41, 59, 26, 53, 58, 97};

inline float limited(float x) { return x > -1000000.0f && x < 1000000.0f ? x : 0.5f; }
inline double limited(double x) { return x > -1000000.0 && x < 1000000.0 ? x : 0.25; }
inline float small(float x) { return x > -1000.0f && x < 1000.0f ? x : 0.75f; }
inline float3 limited3(float3 v) { return float3(limited(v.x), limited(v.y), limited(v.z)); }

inline Item makeItem(int a, float b) {
  Item s = {a, b, {a % 7, 1}};
  s.c[2] = (a ^ 85) & 1023;
  return s;
}

inline ulong hashOf(Item s) { return (uint)s.a * 31u + float_as_uint(s.b) * 7u + (uint)(s.c[0] + s.c[1] * 3 + s.c[2] * 5); }

inline int mixed(int x, int y) {
  uint h = (uint)x * 2654435761u ^ (uint)y;
  for (int i = 0; i < (x & 3); i++)
    h = (h << 5 | h >> 27) + (uint)i;
  return (int)(h % 60000u);
}

inline int searched(int x, int y) {
  for (int i = 0; i < 8; i++) {
    if (TABLE[i] % 10 == (x & 7))
      return i;
    if (TABLE[(y + i) & 7] > 55)
      continue;
    x++;
  }
  return -y % 100;
}

inline int chosen(int x, int y) {
  int list[4] = {x, y, x & y};
  switch (x & 3) {
  case 0: return list[y & 3];
  case 1: list[1] = 7;
  case 2: list[y & 3] ^= 5; break;
  default: list[2] = 0;
  }
  return (list[0] & 255) + (list[1] & 255) + (list[2] & 255) + (list[3] & 255);
}

inline bump(int& x, int by) {
  if (by & 1)
    x = (x + by) % 60013;
  else
    x = (x - by) % 60013;
}
"""

COLLECTIVES = """
inline auto rotated(x, int by) {
  auto mine = x;
  barrier;
  return thread.get((thread.rank + by) % thread.size, mine);
}

inline auto neighbours(x) {
  require values = dtempnew[thread.size]typeof(x);
  values[thread.rank] = x;
  barrier;
  auto sum = values[thread.rank] + values[(thread.rank + 1) % thread.size];
  sum = sum - values[thread.size - 1 - thread.rank];
  return sum;
}

inline auto exchanged(x) {
  auto mine = x;
  thread.put(thread.rank ^ 1, mine, x);
  barrier;
  return mine;
}

inline reversed() {
  barrier(RANK_REASSIGNED);
  thread.oldrank = thread.size - 1 - thread.rank;
}

long hostTotal(device int* values, long n) {
  int* here = new[n + 1]int;
  copy(here, values, n);
  long sum = 0;
  for (long i = 0; i < n; i++)
    sum += here[i];
  delete here;
  return sum;
}

inline long totalOf(int x) {
  require device int* summands = dtempnew[thread.size]int;
  summands[thread.rank] = x;
  barrier;
  require long sum = hostTotal(summands, thread.size);
  return sum;
}

hostPrefix(device int* values, long n) {
  int* here = new[n + 1]int;
  copy(here, values, n);
  int sum = 0;
  for (long i = 0; i < n; i++) {
    int next = here[i];
    here[i] = sum;
    sum = (sum + next) % 60013;
  }
  copy(values, here, n);
  delete here;
}

inline int prefixed(int x) {
  require device int* sums = dtempnew[thread.size]int;
  sums[thread.rank] = x;
  barrier;
  require hostPrefix(sums, thread.size);
  return sums[thread.rank];
}
"""

# Before and after the spawn.
EPILOGUE = (
    """  int cap = n * 4 + 8, q = 5;
  long total = 0;
  int* A = dnew[cap]int;
  int* B = dnew[cap]int;
  float* F = dnew[cap]float;
  uint* U = dnew[cap]uint;
  long* L = dnew[cap]long;
  Item* S = dnew[cap]Item;
  double* D = dnew[cap]double;
  bool* K = dnew[cap]bool;
  dlist(PAIR) G;
  G.resize(cap);
  ulong* R = dnew[cap]ulong;
  spawn (cap) {
    i = thread.rank;
    A[i] = i * 7919 % 1000 - 300;
    B[i] = i * 31 % 77;
    F[i] = (i % 100 - 40) * 0.375f;
    U[i] = (uint)i * 2654435761u;
    L[i] = i * 1000003L % 1000000007;
    S[i] = makeItem(i % 500, i % 10 * 0.5f);
    D[i] = (i % 64 - 30) * 0.1;
    K[i] = i % 3 == 1;
    G[i] = PAIR(i % 300, i % 7 - 3);
    R[i] = 0;
  }
""",
    """  ulong* sums = dnew[cap]ulong;
  spawn (cap) {
    i = thread.rank;
    ulong sum = R[i];
    sum = sum * 31ul + (ulong)A[i];
    sum = sum * 31ul + (ulong)B[i];
    sum = sum * 31ul + float_as_uint(F[i]);
    sum = sum * 31ul + U[i];
    sum = sum * 31ul + (ulong)L[i];
    sum = sum * 31ul + hashOf(S[i]);
    sum = sum * 31ul + double_as_ulong(D[i]);
    sum = sum * 31ul + K[i];
    sum = sum * 31ul + (ulong)(G[i].a * 5 + G[i].b);
    sums[i] = sum;
  }
  ulong* here = new[cap]ulong;
  copy(here, sums, cap);
  ulong all = 0;
  for (int i = 0; i < cap; i++)
    all = all * 1099511628211ul + here[i];
  printf("%d threads: %lx total %ld q %d\\n", n, all, total, q);
  delete here;
  dfree(A);
  dfree(B);
  dfree(F);
  dfree(U);
  dfree(L);
  dfree(S);
  dfree(D);
  dfree(K);
  dfree(R);
  dfree(sums);
""",
)
