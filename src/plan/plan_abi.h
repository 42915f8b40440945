/* The Plan as plain data, in C: the targets write it as constants into what they compile, the runtime executes it.
 * Also every function of the runtime that generated code calls. Neither LLVM nor a syntax tree is known here. */
#ifndef BSGP_PLAN_ABI_H
#define BSGP_PLAN_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { BSGP_BLOCK = 256, BSGP_PLAN_VERSION = 9 };

typedef struct bsgp_call bsgp_call;       /* one call from outside into compiled code; opaque to that code */
typedef struct bsgp_context bsgp_context; /* bsgp.h */

/* A place in the program text, for messages. */
typedef struct bsgp_site {
  const char* file;
  uint32_t line, column;
  const char* text;    /* assert: its condition as written; allocation: the type; else null */
  uint32_t of_library; /* 1: in a text of the standard library */
} bsgp_site;

/* Kernel parameters are 8-byte slots of one array. */
enum bsgp_param_kind {
  BSGP_PARAM_FRAME = 0,    /* `bytes` bytes from the host frame at `index` */
  BSGP_PARAM_STREAM = 1,   /* base address of stream `index` */
  BSGP_PARAM_SIZE = 2,     /* thread.size of this superstep (int64) */
  BSGP_PARAM_OLD_SIZE = 3, /* thread.size of the superstep before (int64) */
  BSGP_PARAM_APPEND = 4,   /* 8 bytes from the frame at `index`: the address of a bsgp_append */
  BSGP_PARAM_BLOCK = 5     /* number of a partition's block whose threads are wanted (int32) */
};
typedef struct bsgp_param {
  uint32_t kind;
  uint32_t index; /* byte offset in the frame, or stream number */
  uint32_t bytes; /* FRAME, APPEND: 1, 2, 4 or 8 */
} bsgp_param;

/* What the threads of a launch append to memory, in the order of their ranks, without gaps. Host code makes it before the
 * launch, and reads `bytes` after it. In place of its address a kernel gets that of a word in memory, where it finds
 * the address of the place where its first value goes, and leaves that of the place behind its last one. Up to
 * BSGP_APPEND_SLACK bytes behind what it leaves it may have written. */
enum { BSGP_APPEND_SLACK = 512 };
typedef struct bsgp_append {
  uint64_t to;         /* address of the first value, with room for one of each thread and BSGP_APPEND_SLACK bytes */
  int64_t bytes;       /* appended so far */
  int64_t value_bytes; /* the most that a thread appends */
} bsgp_append;

/* What a kernel for a CPU knows of its launch. */
typedef struct bsgp_launch {
  int64_t size;  /* threads */
  int64_t block; /* threads in a block (the last may have fewer) */
  const uint64_t* params;
  struct bsgp_failure* failure;    /* first failure of a thread wins */
  uint64_t shuffle;                /* reference target: seed of the lane order, 0 for in order; others ignore it */
  uint32_t form;                   /* bsgp_form; of kernels that have one form: ignored */
  struct bsgp_check_launch* check; /* of programs compiled with --check (check_abi.h); else null */
} bsgp_launch;

/* How the threads of a kernel run: as lanes of vectors (or what else the compiler made of them), one by one, or as lanes
 * that take another thread when theirs has left a loop. */
enum bsgp_form { BSGP_FORM_LANES = 0, BSGP_FORM_ALONE = 1, BSGP_FORM_WAVEFRONT = 2, BSGP_FORMS = 3 };

/* What the runtime knows of a kernel with several forms, for each power of two of blocks in a launch and for small ones.
 * All 0 at first; nothing but the runtime reads and writes it. */
enum { BSGP_FORM_SIZES = 32, BSGP_FORM_STATIONS = 8 };
typedef struct bsgp_forms {
  uint64_t sizes[BSGP_FORM_SIZES][2];
  /* By the kernel, of the loops of its wavefronts in the order of the text: how many lanes there were each time it looked,
   * and how many of these were in the loop, summed up. */
  uint64_t stations[BSGP_FORM_STATIONS][2];
  uint64_t made; /* by the compiler: a bit for each bsgp_form that the kernel has */
} bsgp_forms;

/* Runs the blocks [first, end): the threads first*block .. min(end*block, size)-1. */
typedef void (*bsgp_kernel_fn)(const bsgp_launch*, int64_t first_block, int64_t end_block);

/* The kernels of a program for a GPU: one module of PTX. */
typedef struct bsgp_gpu_code {
  const char* ptx; /* text; ends with a 0 that `bytes` does not count */
  uint64_t bytes;
  uint32_t sm; /* least compute capability of the GPU: 75 for sm_75 */
  uint32_t site_count, format_count, check_site_count;
  const bsgp_site* const* sites;                    /* what a failing thread names by number */
  const char* const* formats;                       /* of device printf, likewise */
  const struct bsgp_check_site* const* check_sites; /* of what is watched (gpu_check_abi.h), likewise */
} bsgp_gpu_code;

/* A kernel for a GPU: the entry `name` of that module. Its parameters are those of the kernel, in their order, each at
 * the beginning of its slot; then thread.size (int64), the address of a bsgp_gpu_record, and a number of whole tiles
 * (int64). It is launched as a line of thread blocks of bsgp_plan::block threads each: first the whole tiles, each of
 * which runs `tile` of the launch's blocks, none of them with fewer threads; then one for each block that is left. How
 * many tiles there are is up to the launcher. Of code compiled with --check the address of a bsgp_gpu_check follows. */
typedef struct bsgp_gpu_kernel {
  const bsgp_gpu_code* code;
  uint32_t shared_bytes; /* of dynamic shared memory */
  uint32_t talks;        /* 1: its threads may print */
  uint32_t tile;         /* blocks of a whole tile; 1: there shall be none */
  uint32_t checks;       /* bits of bsgp_gpu_checks; 0: compiled without --check */
  uint32_t puts;         /* that are watched: their numbers are below this */
} bsgp_gpu_kernel;

/* What the threads of a GPU tell the host; in memory of the device. A kernel of a program that can fail begins with a
 * look at `failed` and does nothing where that is not 0. A thread that prints takes 1 + count slots of 8 bytes with an
 * atomic add to `printed`; it writes them if they end within `capacity`: number of the format | count << 32, then the
 * arguments as bsgp_rt_print takes them. */
typedef struct bsgp_gpu_record {
  uint32_t failed; /* 1: a thread has failed, and this is which: the first one writes the rest */
  uint32_t kind;   /* bsgp_failure_kind */
  uint32_t site;   /* number of the site */
  uint32_t reserved;
  int64_t rank;
  uint64_t printed;  /* slots asked for so far */
  uint64_t capacity; /* slots */
  uint64_t slots;    /* address of the first */
} bsgp_gpu_record;

typedef struct bsgp_kernel {
  const char* name;
  bsgp_kernel_fn run; /* null in code for a GPU */
  const bsgp_param* params;
  uint32_t param_count;
  uint32_t superstep;             /* from 1 */
  uint32_t first_line, last_line; /* of the superstep in the spawn's file */
  uint32_t loaded, stored;        /* bytes a thread moves from and to streams */
  const bsgp_gpu_kernel* gpu;     /* null in code for a CPU */
  bsgp_forms* forms;              /* null: `run` has one form */
} bsgp_kernel;

/* Steps run in order, but for branches and jumps, which go on at any step or, with the number of steps, at the end.
 * Several streams may name one memory: it is given back when none does any more. */
enum bsgp_step_kind {
  BSGP_STEP_REQUIRE = 0,    /* call requires[index](call, frame) */
  BSGP_STEP_ALLOCATE = 1,   /* stream `index`: memory of its own, `bytes` per thread, thread.size of now */
  BSGP_STEP_CLEAR = 2,      /* zero the stream */
  BSGP_STEP_LAUNCH = 3,     /* kernel `index` */
  BSGP_STEP_FREE = 4,       /* stream `index` */
  BSGP_STEP_FREE_TEMPS = 5, /* what dtempnew took in scope `index` */
  BSGP_STEP_SUPERSTEP = 6,  /* superstep `index` begins: what is thread.size now becomes the old size */
  BSGP_STEP_DECIDE = 7,     /* as REQUIRE; it stores a number, the way, at bsgp_plan::decision_offset */
  BSGP_STEP_BRANCH = 8,     /* go on at step `other` if that number is `index` */
  BSGP_STEP_JUMP = 9,       /* go on at step `other` */
  BSGP_STEP_MOVE = 10,      /* stream `index` names the memory of stream `other`, too */
  BSGP_STEP_SWAP = 11,      /* streams `index` and `other` exchange their memory; one may have none */
  BSGP_STEP_BLOCKS = 12     /* run the blocks of partition `index`, behind the launch of its block 0 */
};
typedef struct bsgp_step {
  uint32_t kind, index, bytes;
  uint32_t other; /* BRANCH, JUMP: a step; MOVE, SWAP: a stream; else 0 */
  const bsgp_site* site;
} bsgp_step;

/* A superstep that runs as a kernel for each block of its control flow. kernels[first] is block 0, which all threads begin
 * with; that of block k is kernels[first + k]. Each thread has a counter: the block that it comes to next, `blocks` at its
 * end. A block runs for the threads whose counter names it, in the order of their ranks: a launch of so many threads, each
 * of which finds its rank in stream `ranks`. They are found by kernels[first + blocks], in which thread i counts those
 * among the ranks from i * BSGP_PARTITION_CHUNK on, and stores that in stream `counts`; then by kernels[first + blocks + 1],
 * which finds there the place for the first of them, and writes their ranks. */
enum { BSGP_PARTITION_CHUNK = 256 };
typedef struct bsgp_partition {
  uint32_t first, blocks;
  uint32_t counts, ranks; /* streams; their elements have rank_bits */
  /* The blocks behind block k: next[next_begin[k]] to next[next_begin[k + 1] - 1]. */
  const uint32_t* next_begin;
  const uint32_t* next;
} bsgp_partition;

typedef int32_t (*bsgp_require_fn)(bsgp_call*, void* frame);

/* The target that the kernels of a plan are compiled for. */
enum bsgp_code_kind { BSGP_CODE_CPU = 0, BSGP_CODE_REFERENCE = 1, BSGP_CODE_GPU = 2 };

typedef struct bsgp_plan {
  uint32_t version;     /* BSGP_PLAN_VERSION */
  uint32_t rank_bits;   /* 32 or 64: type of rank and size */
  uint32_t block;       /* threads in a block: 256, or as block(N) says */
  uint32_t size_offset; /* of thread.size in the frame (int64) */
  const char* name;
  const bsgp_site* site; /* of the spawn */
  const bsgp_kernel* kernels;
  const bsgp_require_fn* requires_;
  const bsgp_step* steps;
  uint32_t kernel_count, require_count, step_count, stream_count;
  uint32_t decision_offset; /* in the frame, of the way that the last DECIDE took (int32) */
  uint32_t code;            /* bsgp_code_kind */
  const bsgp_partition* partitions;
  uint64_t partition_count;
} bsgp_plan;

/* A machine that the kernels of an object are compiled for. */
typedef struct bsgp_cpu {
  const char* name;
  uint64_t features;             /* that it needs: bit i is entry i of cpu_features.def */
  const bsgp_kernel_fn* kernels; /* one for each slot */
} bsgp_cpu;

/* The machines of an object compiled ahead of time. Nothing but bsgp_rt_choose_cpu writes to it. */
typedef struct bsgp_cpus {
  uint32_t chosen; /* 0: none yet; else the number of the CPU, from 1 */
  uint32_t cpu_count, slot_count;
  const bsgp_cpu* cpus;         /* the best one comes last */
  bsgp_kernel_fn* const* slots; /* `run` of kernels in the object's plans: of the chosen CPU */
} bsgp_cpus;

/* The handle of a dlist(T); lives in host memory. */
typedef struct bsgp_dlist {
  void* data;
  int64_t n;        /* elements */
  int64_t capacity; /* elements */
} bsgp_dlist;

/* Memory spaces, as copy is told them. */
enum { BSGP_HOST = 0, BSGP_DEVICE = 1 };

enum bsgp_failure_kind {
  BSGP_FAIL_ASSERT = 1,
  BSGP_FAIL_DIVIDE = 2,
  BSGP_FAIL_RECURSION = 3,
  BSGP_FAIL_MEMORY = 4 /* of a kernel, for arrays of its threads: what stands for the rank is their size in bytes */
};

/* ---- called by host code ----
 *
 * 0: done; else the call has failed, its message is kept in the call, and the function must clean up and return that
 * status. `site` is where the program asked. Counts are in elements. */
int32_t bsgp_rt_run(bsgp_call*, const bsgp_plan*, void* frame);
int32_t bsgp_rt_dnew(bsgp_call*, int64_t count, int64_t element_bytes, const bsgp_site*, void** out);
/* scope 0: freed when the enclosing function returns; else by FREE_TEMPS of the running spawn. */
int32_t bsgp_rt_dtempnew(bsgp_call*, int64_t count, int64_t element_bytes, uint32_t scope, const bsgp_site*,
                         void** out);
int32_t bsgp_rt_dfree(bsgp_call*, void*, const bsgp_site*);
int32_t bsgp_rt_new(bsgp_call*, int64_t count, int64_t element_bytes, const bsgp_site*, void** out);
int32_t bsgp_rt_delete(bsgp_call*, void*, const bsgp_site*);
int32_t bsgp_rt_copy(bsgp_call*, void* to, uint32_t to_space, const void* from, uint32_t from_space, int64_t count,
                     int64_t element_bytes, const bsgp_site*);
/* Element `index` behind a pointer to device memory, to and from host memory. */
int32_t bsgp_rt_peek(bsgp_call*, const void* pointer, int64_t index, int64_t element_bytes, void* to, const bsgp_site*);
int32_t bsgp_rt_poke(bsgp_call*, void* pointer, int64_t index, int64_t element_bytes, const void* from,
                     const bsgp_site*);
int32_t bsgp_rt_dlist_resize(bsgp_call*, bsgp_dlist*, int64_t n, int64_t element_bytes, const bsgp_site*);
int32_t bsgp_rt_dlist_reserve(bsgp_call*, bsgp_dlist*, int64_t n, int64_t element_bytes, const bsgp_site*);
void bsgp_rt_dlist_free(bsgp_call*, bsgp_dlist*);
/* The elements of `from`, in place of those of `to`, which may be the same list. */
int32_t bsgp_rt_dlist_assign(bsgp_call*, bsgp_dlist* to, const bsgp_dlist* from, int64_t element_bytes,
                             const bsgp_site*);
/* `values` in host memory. */
int32_t bsgp_rt_dlist_append(bsgp_call*, bsgp_dlist*, const void* values, int64_t count, int64_t element_bytes,
                             const bsgp_site*);
/* `bytes` of an element, from its byte `part` on, to and from host memory. Fails where there is no such element. */
int32_t bsgp_rt_dlist_read(bsgp_call*, const bsgp_dlist*, int64_t index, int64_t element_bytes, int64_t part,
                           int64_t bytes, void* to, const bsgp_site*);
int32_t bsgp_rt_dlist_write(bsgp_call*, const bsgp_dlist*, int64_t index, int64_t element_bytes, int64_t part,
                            int64_t bytes, const void* from, const bsgp_site*);
int32_t bsgp_rt_fail(bsgp_call*, uint32_t failure_kind, const bsgp_site*);
/* An assertion with a text that is made when the program runs; NULL: without one. */
int32_t bsgp_rt_fail_saying(bsgp_call*, const char* text, const bsgp_site*);
/* The call has failed in a function of the standard library that the program called at `site`: where the message names
 * a line of the library, it names this place from now on. */
void bsgp_rt_failed_in_library(bsgp_call*, const bsgp_site*);
/* Around the body of every function that may call dtempnew: close frees what was taken in scope 0 since open. */
int64_t bsgp_rt_scope_open(bsgp_call*);
void bsgp_rt_scope_close(bsgp_call*, int64_t mark);
/* Depth of host calls: enter fails with BSGP_FAIL_RECURSION before the stack ends. */
int32_t bsgp_rt_enter(bsgp_call*, const bsgp_site*);
void bsgp_rt_leave(bsgp_call*);
int32_t bsgp_rt_worker_count(bsgp_call*); /* threads that execute blocks at the same time */

/* What an object compiled ahead of time calls before anything else, as long as `chosen` is 0: takes the last of its
 * CPUs that this machine is like, or the one that BSGP_CPU names. Else the object must not be entered:
 * BSGP_UNAVAILABLE, and the message is kept in the call, or without one for bsgp_error_message. */
int32_t bsgp_rt_choose_cpu(bsgp_call*, bsgp_cpus*);

/* In an object that holds a program for CPUs and for GPUs: which one runs. 1: the one for GPUs. Such objects define
 * `const uint32_t bsgp_program_has_gpu_code`: target "auto" takes a GPU only for them. */
int32_t bsgp_rt_call_on_gpu(bsgp_call*);
int32_t bsgp_rt_context_on_gpu(bsgp_context*); /* may be null: the default one */

/* Around the body of an exported function: begin with the caller's context (may be null: the default one); null where
 * there is no such context: then the body is not entered, and the end gives the status of that. End with the function's
 * status: keeps the message for bsgp_error_message, frees what the call left, and returns the status. */
bsgp_call* bsgp_rt_begin(bsgp_context*);
int32_t bsgp_rt_end(bsgp_call*, int32_t status);
/* main of a program: makes a context from the environment (bsgp.h), runs main_fn, returns its result; on failure prints
 * the message to stderr and returns 1. */
int bsgp_rt_main(int argc, char** argv, int32_t (*main_fn)(bsgp_call*, int32_t argc, char** argv, int32_t* result));

/* printf from host and device. Each argument is one 8-byte slot: integers extended to 64 bits, float and half as
 * double, pointers as addresses. */
void bsgp_rt_print(const char* format, uint32_t count, const uint64_t* arguments);

/* ---- called by kernels ---- */
void bsgp_rt_device_fail(const bsgp_launch*, uint32_t failure_kind, int64_t rank, const bsgp_site*);

#ifdef __cplusplus
}
#endif
#endif
