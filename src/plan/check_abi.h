/* What code compiled with --check calls, and what it knows: a record for each place of the program that is watched.
 * Neither LLVM nor a syntax tree is known here. */
#ifndef BSGP_PLAN_CHECK_ABI_H
#define BSGP_PLAN_CHECK_ABI_H

#include "plan/plan_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is looked for: bits. */
enum bsgp_check_kind {
  BSGP_CHECK_RACE = 1,
  BSGP_CHECK_BOUNDS = 2,
  BSGP_CHECK_INIT = 4,
  BSGP_CHECK_ARITHMETIC = 8,
  BSGP_CHECK_LINT = 16,
  BSGP_CHECK_LIBRARY = 32 /* finds nothing itself: also what the library does in memory of its own is watched */
};

enum bsgp_check_access {
  BSGP_ACCESS_READ = 0,
  BSGP_ACCESS_WRITE = 1,
  BSGP_ACCESS_ATOMIC_LOAD = 2,   /* acquires */
  BSGP_ACCESS_ATOMIC_STORE = 3,  /* releases */
  BSGP_ACCESS_ATOMIC_UPDATE = 4, /* acquires, and releases what is before the last fence */
  BSGP_ACCESS_SOMEHOW = 5        /* of an index: not known */
};

enum bsgp_check_space {
  BSGP_MEMORY_DEVICE = 0,  /* dnew, dtempnew, lists: found by address */
  BSGP_MEMORY_HOST = 1,    /* new: found by address */
  BSGP_MEMORY_SHARED = 2,  /* of a block; its extent is known */
  BSGP_MEMORY_THREAD = 3,  /* an array of a thread, or of host code; its extent is known */
  BSGP_MEMORY_CONSTANT = 4 /* an array of the program; its extent is known */
};

/* What is told of a value. */
enum bsgp_check_value {
  BSGP_VALUE_OVERFLOW = 0,  /* signed arithmetic; `value` is the left operand, or the only one */
  BSGP_VALUE_DIVISOR = 1,   /* division by zero; `value` is the dividend. A note, exit status 0 */
  BSGP_VALUE_UNDEFINED = 2, /* nobody wrote it */
  BSGP_VALUE_INDEX = 3,     /* outside of an array: `value` is the index, `extent` of the site the count */
  BSGP_VALUE_OLDRANK = 4,   /* outside of the ranks */
  BSGP_VALUE_SHIFT = 5,     /* lint: beyond the width */
  BSGP_VALUE_PUT = 6        /* lint: put to no rank */
};

/* Where an index of a part of something else was told to be outside, its access goes so many bytes away, or near that:
 * it is not told again, and not done. */
#define BSGP_CHECK_FAR (UINT64_C(1) << 61)

/* Which of the checks tells of it. */
static inline uint32_t bsgp_kind_of_value(uint32_t check_value) {
  switch (check_value) {
  case BSGP_VALUE_UNDEFINED:
    return BSGP_CHECK_INIT;
  case BSGP_VALUE_INDEX:
  case BSGP_VALUE_OLDRANK:
    return BSGP_CHECK_BOUNDS;
  case BSGP_VALUE_SHIFT:
  case BSGP_VALUE_PUT:
    return BSGP_CHECK_LINT;
  default:
    return BSGP_CHECK_ARITHMETIC;
  }
}

/* Where a value that nobody has set comes from. */
enum bsgp_check_cause_kind {
  BSGP_CAUSE_VARIABLE = 0, /* a variable is declared there, without a value */
  BSGP_CAUSE_RESULT = 1,   /* a function is declared there, and returns nothing on some way */
  BSGP_CAUSE_GET = 2,      /* a thread.get, maybe of no rank */
  BSGP_CAUSE_READ = 3,     /* memory is read there, that nobody wrote */
  BSGP_CAUSE_SHUFFLE = 4   /* a function of a warp that asks for a thread that may not be there */
};

typedef struct bsgp_check_cause {
  const bsgp_site* at;
  const char* name; /* of the variable or function: "p.second"; null: unknown */
  uint32_t kind;    /* bsgp_check_cause_kind */
  uint32_t is_sure; /* 0: where it is the only one it still need not be it */
} bsgp_check_cause;

/* What else is known of a place: bits. 0 is always right, but for SYNCS, ORDERS and NEGATES. */
enum bsgp_check_site_flag {
  BSGP_SITE_SYNCS = 1,     /* of a superstep that has a block.sync or a warp.sync: all of its accesses say so */
  BSGP_SITE_NO_RESULT = 2, /* an atomic that gives and leaves the same in whatever order threads come to it */
  BSGP_SITE_ORDERS = 4,    /* of a superstep that has a fence, an atomic load or store: all of its accesses say so */
  BSGP_SITE_ASKED = 8,     /* UNDEFINED: `value` is the rank that the thread.get of the first cause names */
  BSGP_SITE_NEGATES = 16   /* OVERFLOW: `value` is the only operand */
};

/* An access of SHARED memory at this address was told of: it is not done. No memory has it; that of a block of a GPU
 * begins at 0. */
#define BSGP_TOLD_ADDRESS (UINT64_MAX - 15)

/* A place that is watched. The sites of one spawn stand in one array, in the order of their numbers. */
typedef struct bsgp_check_site {
  const bsgp_site* at;       /* in the program; of library code, where the program called it */
  const bsgp_site* inside;   /* the line of library code; null: the program's own */
  const char* text;          /* of the expression, as it is written: "bins[key]"; null: unknown */
  const char* name;          /* of the variable that the pointer came from: "bins"; null: unknown */
  const char* element;       /* the type of its elements, or of the value: "int"; null: unknown */
  const bsgp_site* declared; /* SHARED, THREAD, CONSTANT: where the array is declared; null: unknown */
  uint32_t number;           /* in the array: `site - site->number` is the first */
  uint32_t count;            /* of sites in the array */
  uint8_t access, space;     /* bsgp_check_access, bsgp_check_space */
  uint8_t checks;            /* bits of bsgp_check_kind that this place is watched for */
  uint8_t flags;             /* bits of bsgp_check_site_flag */
  uint32_t bytes;            /* of the access */
  uint32_t align;            /* that it needs */
  uint32_t element_bytes;    /* of the element type */
  uint64_t extent; /* SHARED, THREAD, CONSTANT: bytes of the array; INDEX: the count. SHARED: 0 if one of several */
  const bsgp_check_cause* causes; /* UNDEFINED: all that may be it, one without `at` behind them; null: not known */
} bsgp_check_site;

/* ---- called by kernels. `rank`: of the thread. Where a check fails a report is made and the thread goes on.
 *
 * The address if the access may be done; else one where nothing but zeros is read and what is written is lost. `base` is
 * the pointer that the address was computed from. */
void* bsgp_rt_check_access(const bsgp_launch*, int64_t rank, void* address, const void* base, const bsgp_check_site*);

/* Where accesses that are computed from `base` may lie in this launch, whatever their place. Else bsgp_rt_check_access
 * tells what is wrong with one. */
typedef struct bsgp_check_range {
  uint64_t begin, end;
} bsgp_check_range;
bsgp_check_range bsgp_rt_check_memory(const bsgp_launch*, const void* base);

/* ---- what can be shown of a launch before its threads run: then they run as a *proven* copy of the kernel, where that is not
 * watched. Its accesses are lines, base + rank * step, or reach something in the memory of a base that all threads have. */
enum bsgp_check_use {
  BSGP_USE_LINE = 1,     /* not watched in the copy */
  BSGP_USE_ALWAYS = 2,   /* each thread does it (of SETS) */
  BSGP_USE_ASKS = 4,     /* whether it was written */
  BSGP_USE_SETS = 8,     /* makes it written */
  BSGP_USE_UNSETS = 16,  /* or not written, and is watched in the copy */
  BSGP_USE_ANYWHERE = 32 /* the base is not known before */
};

typedef struct bsgp_check_use_of {
  const bsgp_check_site* site;
  uint64_t uses; /* bits of bsgp_check_use */
} bsgp_check_use_of;

/* What a launch makes of it: the addresses of its first and its last thread. */
typedef struct bsgp_check_reach {
  const void* base; /* null: ANYWHERE */
  uint64_t first, last;
  uint64_t is_line; /* 0: what the kernel shows to be a line is none in this launch */
} bsgp_check_reach;

enum bsgp_check_rows_flag {
  BSGP_ROWS_ASK_LATER = 1, /* the copy asks for more than the rows tell, whether it was written */
  BSGP_ROWS_UNSET = 2      /* it may make anything unwritten */
};

typedef struct bsgp_check_rows {
  const bsgp_check_use_of* uses;
  uint32_t count, flags;
} bsgp_check_rows;

/* How far from `first_block` on threads may run in the same way: the block behind, as it is where they run as the proven
 * copy, else its complement. `is_exact`: no other arithmetic that the copy does not watch overflows. */
int64_t bsgp_rt_check_rows(const bsgp_launch*, int64_t first_block, int64_t end_block, const bsgp_check_rows*,
                           const bsgp_check_reach*, int32_t is_exact);

/* In a proven copy: bits for the bytes of `base`'s memory, set where they were written; null: all are. Seven bytes behind
 * the last bit may be read. */
const void* bsgp_rt_check_written(const bsgp_launch*, const void* base);
/* The memory that these bits are of. */
bsgp_check_range bsgp_rt_check_written_memory(const bsgp_launch*, const void* base);

/* The same of threads of one block up to the next block.sync, and of shared memory; not 0: they are not watched. Lines alone;
 * `base` is the array, `is_line` 1 + 2 * (first threads that do not come there) + 2^32 * (all that do not). One that some of
 * the others may not reach, either (without ALWAYS), no access of shared memory follows before the block.sync. */
int32_t bsgp_rt_check_lanes(const bsgp_launch*, int64_t first_rank, int64_t count, const bsgp_check_rows*,
                            const bsgp_check_reach*);

/* `bad` is tested by the caller: a report. */
void bsgp_rt_check_value(const bsgp_launch*, int64_t rank, uint32_t check_value, int64_t value, const bsgp_check_site*);

/* Whether all bytes were written, and that they are or are not; of memory that has been found by an access. */
int32_t bsgp_rt_check_is_written(const bsgp_launch*, int64_t rank, const void* address, const bsgp_check_site*);
void bsgp_rt_check_set_written(const bsgp_launch*, int64_t rank, const void* address, int32_t written,
                               const bsgp_check_site*);

/* The thread is about to pass a block.sync, a warp.sync. */
void bsgp_rt_check_block_sync(const bsgp_launch*, int64_t rank);
void bsgp_rt_check_all_synced(const bsgp_launch*, int64_t rank); /* all threads of its block have passed a block.sync */
void bsgp_rt_check_warp_sync(const bsgp_launch*, int64_t rank);
void bsgp_rt_check_fence(const bsgp_launch*, int64_t rank);

/* A thread.put to thread `target`; `put`: which of the superstep. */
void bsgp_rt_check_put(const bsgp_launch*, int64_t rank, int64_t target, int32_t put, const bsgp_check_site*);

/* Device memory that the library took for itself. */
void bsgp_rt_check_library_memory(bsgp_call*, void* block);

/* Host code of the program is about to call a function of the library: what is found in there is told here. */
void bsgp_rt_check_calls(bsgp_call*, const bsgp_site*);

/* What this points to goes ways that are not watched: host code has made the pointer of a number, or gives it to a C
 * function. From now on it counts as written. `bytes`: of the variable that begins there, or 0; `holds_pointers`: there
 * are, as far as types tell, and what these point to goes the same ways. */
void bsgp_rt_check_reached(bsgp_call*, const void*, uint64_t bytes, int32_t holds_pointers);

/* ---- called by host code: the same; `call` is that of the function. */
/* Of the memory of a base, so that most accesses need no call: it lies at begin ... begin + bytes, as long as the counter
 * stands as it did. Of the first `followed_bytes` what was written is known: the bits, or, if null, all. A function begins
 * with 0 bytes and a counter of its own. */
typedef struct bsgp_check_known {
  uint64_t base, begin, bytes, followed_bytes;
  const void* written;
  const uint64_t* counter;
  uint64_t generation;
} bsgp_check_known;

void* bsgp_rt_check_host_access(bsgp_call*, void* address, const void* base, const bsgp_check_site*,
                                bsgp_check_known*); /* null, or what is told of the base from now on */
void bsgp_rt_check_host_value(bsgp_call*, uint32_t check_value, int64_t value, const bsgp_check_site*);
int32_t bsgp_rt_check_host_is_written(bsgp_call*, const void* address, const bsgp_check_site*);
void bsgp_rt_check_host_set_written(bsgp_call*, const void* address, int32_t written, const bsgp_check_site*);

/* A variable begins, and nobody has set it; or it was set as a whole, or its function ends. */
void bsgp_rt_check_host_variable(bsgp_call*, const void* address, uint64_t bytes, int32_t is_set);
/* Bytes were moved as they are. */
void bsgp_rt_check_host_moved(bsgp_call*, const void* to, const void* from, uint64_t bytes);

#ifdef __cplusplus
}
#endif
#endif
