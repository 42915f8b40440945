/* What kernels compiled with --check and the host know of each other on a GPU. The host fills in a bsgp_gpu_check before
 * each launch and reads afterwards what threads have found. Addresses are of device memory. */
#ifndef BSGP_PLAN_GPU_CHECK_ABI_H
#define BSGP_PLAN_GPU_CHECK_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An allocation. A table of them is sorted by `begin`. */
typedef struct bsgp_gpu_memory {
  uint64_t begin, end; /* pointers from `begin` up to `end` mean it */
  uint64_t bytes;      /* that it has */
  uint64_t extent;     /* that may be reached; 0: it was freed */
  uint64_t written;    /* address of a bit for each byte: it was written; 0: all were */
  uint64_t entries;    /* address of what is known of each granule: its entry, as on a CPU (runtime/check/shadow.h), */
  uint64_t granules;   /* then as many of other threads, then of reads by the owner. 0: nothing is looked at */
  uint64_t shift;      /* a granule has 1 << shift bytes */
} bsgp_gpu_memory;

enum bsgp_gpu_told {
  BSGP_TOLD_OUTSIDE = 0,    /* `a` is the address, `b` the base */
  BSGP_TOLD_MISALIGNED = 1, /* likewise */
  BSGP_TOLD_VALUE = 2,      /* `a` is the value, `b` its bsgp_check_value */
  BSGP_TOLD_RACE = 3,       /* `a` is the address of the granule, `words` what was known of it */
  BSGP_TOLD_PUT = 4         /* `a` is the thread that it goes to, the first of `words` the entry of the other put */
};

typedef struct bsgp_gpu_finding {
  uint64_t what; /* bsgp_gpu_told << 32 | number of the site in bsgp_gpu_code::check_sites */
  int64_t rank;
  uint64_t a, b;
  uint64_t words[3];
} bsgp_gpu_finding;

/* Of each site the first BSGP_GPU_FIRST findings have places of their own, in the order of the sites; behind them are
 * those that further ones share. */
enum { BSGP_GPU_FIRST = 16 };

typedef struct bsgp_gpu_check {
  uint64_t memories, memory_count; /* bsgp_gpu_memory */
  uint64_t findings;               /* bsgp_gpu_finding */
  uint64_t capacity;               /* of those that are shared; 0: nothing is to be told */
  uint64_t any;                    /* 1: something was found */
  uint64_t found;                  /* so many were to be stored where it is shared */
  uint64_t lost;                   /* so many were not, or not even tried */
  uint64_t unjudged;
  uint64_t counts, most_of_site; /* uint32_t of each site: what it has found; it stores so many */
  uint64_t site_count;
  uint64_t zeros, trash;       /* 64 bytes each that bad accesses reach: reads, and all others */
  uint64_t steps;              /* uint32_t of each state, whether it is the owner, and class: below */
  uint64_t epoch, rank_bits;   /* of entries */
  uint64_t unset, unset_count; /* pairs of offsets in the frame of the host: nobody has set what is between */
  uint64_t puts, put_rows;     /* an entry for each put and each thread */
  uint64_t size, block;        /* of the launch */
} bsgp_gpu_check;

/* A step: the next state, and bits. */
enum bsgp_gpu_race_step {
  BSGP_RACE_STATE = 31, /* which is that of a race where all of its bits are set */
  BSGP_RACE_AS_OWNERS = 1 << 6,
  BSGP_RACE_AS_OTHERS = 1 << 7,
  BSGP_RACE_AS_READ = 1 << 8,
  BSGP_RACE_OWNERS_AS_READ = 1 << 9,
  BSGP_RACE_OWNERS_AS_OTHERS = 1 << 10,
  BSGP_RACE_HAD_OTHERS = 1 << 11 /* of the state before */
};

/* What an access is, as its kernel says it. */
enum bsgp_gpu_facts {
  BSGP_FACT_ALIGN = 16,          /* bits from here on; below are its bytes */
  BSGP_FACT_ACCESS = 32,         /* bsgp_check_access */
  BSGP_FACT_CLASS = 35,          /* of four, as in runtime/check/race_state.h */
  BSGP_FACT_RACES = 37,          /* one bit: races are looked for */
  BSGP_FACT_MAY_BE_ORDERED = 38, /* by atomics: then it is not known whether what looks like one is one */
  BSGP_FACT_COUNTS = 39          /* then it is counted */
};

/* Of a kernel: bits of bsgp_gpu_kernel::checks. */
enum bsgp_gpu_checks {
  BSGP_GPU_CHECKED = 1, /* it has another parameter: the address of a bsgp_gpu_check */
  BSGP_GPU_RACES = 2,
  BSGP_GPU_WRITTEN = 4,
  BSGP_GPU_ATOMIC_RESULTS = 8, /* what threads do may depend on the order of atomics */
  BSGP_GPU_SHIFT = 8           /* bits from here on: the shift of granules that no access of it splits */
};

#ifdef __cplusplus
}
#endif
#endif
