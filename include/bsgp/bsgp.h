/* The C interface of BSGP.
 *
 * A program compiled ahead of time is called through the functions of its generated header; each takes a context first
 * (NULL: the default one) and returns a bsgp_status. All calls are synchronous: when one returns, its work is done and
 * its results can be read. Every function here may be called from any thread; calls on one context from several threads
 * at a time are safe. Sizes are in bytes. Nothing throws and nothing ends the process, with two exceptions, where there
 * is no memory left: LLVM has no way back, so bsgp_compile then says so to the standard error and ends the process with
 * status 1; and code that was compiled with checks ends it where there is none for what is kept of the program.
 * Everywhere else a lack of memory is BSGP_OUT_OF_MEMORY, whose message needs none.
 *
 * A context or a program that was destroyed, or a pointer that never was one, is refused with BSGP_INVALID by every
 * function, also by those that a program exports, and is not read; functions that give no status give "" or 0 then, and
 * bsgp_error_message says why. A handle is only known by its address: one that was destroyed means a later one which
 * happens to have got the same address.
 */
#ifndef BSGP_BSGP_H
#define BSGP_BSGP_H

#include <stddef.h>
#include <stdint.h>

/* The version of this header. Up to 1.0 a program takes a library of the same major and minor number; then, of the same
 * major number. */
#define BSGP_VERSION_MAJOR 0
#define BSGP_VERSION_MINOR 1
#define BSGP_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

typedef enum bsgp_status {
  BSGP_OK = 0,
  BSGP_INVALID = 1,       /* an argument of this call makes no sense */
  BSGP_OUT_OF_MEMORY = 2, /* the message says how much was asked for, and where */
  BSGP_FAILED = 3,        /* the program failed: an assertion, a division by zero, a negative size ... */
  BSGP_UNAVAILABLE = 4,   /* a target or file that is not there; a machine that the code is not compiled for */
  BSGP_INTERRUPTED = 5    /* bsgp_set_interrupt's function asked for an end of the call */
} bsgp_status;

/* The message of the last call of this thread that failed: "FILE:LINE:COLUMN: error: ..." where a program's text is to
 * blame, else a sentence; lines of help may follow. "" when none has failed. Valid until this thread's next call. */
const char* bsgp_error_message(void);
/* The status of that call, for calls that return a pointer. BSGP_OK when none has failed. */
bsgp_status bsgp_error_status(void);

/* The library calls `asked` while a call of a compiled function or an evaluation of arrays runs: on the thread that made the call, at
 * most once in 50 ms, between blocks of threads, launches and operations on arrays. If it returns anything but 0, the call ends there
 * with BSGP_INTERRUPTED. The context, the program and the arrays can be used as before; memory that the call was writing to has new values
 * in parts. NULL: nothing is called. One function for the whole process; it must not call this library, but for bsgp_arrays_progress. A
 * thread of a program that does not end, and kernels that a GPU has begun, are waited for. */
void bsgp_set_interrupt(int (*asked)(void));

/* ---- 1. Contexts and memory: the runtime ---- */

/* A device with its memory and threads. */
typedef struct bsgp_context bsgp_context;

/* Begin with BSGP_OPTIONS_INIT, then set what matters:
 *   bsgp_options options = BSGP_OPTIONS_INIT;
 *   options.threads = 4;
 * What is left 0 or NULL is taken from the environment variable named here, then from the default. */
typedef struct bsgp_options {
  /* sizeof(bsgp_options) as the caller knows it. A later library takes the fields that are not there for left open. */
  size_t struct_size;
  /* BSGP_TARGET. "auto" (default): "cuda" where there is a GPU and the executable was linked with code for it, else
   * "cpu"; "reference": a CPU, one thread at a time. Code for a CPU runs in contexts of that kind alone, and code for
   * GPUs likewise. */
  const char* target;
  /* BSGP_THREADS. How many work at a time, with the caller; default: all processors this process may use. Where the
   * system gives the process fewer threads, it is as many as there are: bsgp_context_threads tells. */
  uint32_t threads;
  /* BSGP_SHUFFLE. Seed of the order in which threads run; default: in order. Only target "reference" has an order to
   * shuffle: with another one the option is refused, and the variable has no effect. */
  uint64_t shuffle;
  /* BSGP_POISON. 1: fill device memory with 0xCB when it is allocated and freed; -1: do not. Others are refused. */
  int32_t poison;
  /* BSGP_PROFILE. "1": print where the time goes to stderr when the context is destroyed; any other text: that, and
   * write a trace for Perfetto to the file of this name; "0": do not. */
  const char* profile;
  /* Bound of freed device memory kept for reuse; default: a quarter of the memory; cuda: all. */
  uint64_t cache_bytes;
  /* BSGP_CHECK. What programs compiled with --check are watched for: of "race,bounds,init,arithmetic,lint,library", "all"
   * (all but the last two), or "0" or "off" for none; default: what a program linked in was compiled with. A call in which an error is found returns
   * BSGP_FAILED with the first one as its message; all of them are printed to stderr when the context is destroyed. */
  const char* check;
} bsgp_options;
#define BSGP_OPTIONS_INIT {sizeof(bsgp_options), NULL, 0, 0, 0, NULL, 0, NULL}

/* NULL on failure; bsgp_error_message says why, and bsgp_error_status whether the options make no sense (BSGP_INVALID),
 * memory lacks, or the target is not there. `options` may be NULL. The caller owns the context. */
bsgp_context* bsgp_context_create(const bsgp_options* options);

/* Frees the context and all device memory still allocated in it. No call may be running in it. NULL does nothing. The
 * default context cannot be destroyed: it lives as long as the process. BSGP_INVALID: it was destroyed before. */
bsgp_status bsgp_context_destroy(bsgp_context* context);

/* "cuda", "cpu" or "reference"; NULL: of the default context, as below */
const char* bsgp_context_target(bsgp_context* context);
/* Blocks of threads that run at a time: one per thread of a CPU; of a GPU as many of 256 threads as it can hold. */
uint32_t bsgp_context_threads(bsgp_context* context);

/* Device memory for arguments of compiled functions, aligned to 256 bytes; `*out` is NULL on failure. The contents are
 * undefined. It is owned by the caller until bsgp_free, at the latest until the context goes. What a compiled function
 * returns from dnew or new is freed by bsgp_free likewise. bsgp_free of NULL does nothing; of anything else that is not
 * allocated in this context, or no longer, it returns BSGP_INVALID. */
bsgp_status bsgp_alloc(bsgp_context* context, uint64_t bytes, void** out);
bsgp_status bsgp_free(bsgp_context* context, void* memory);

/* `bytes` bytes; ranges may lie anywhere inside an allocation. */
bsgp_status bsgp_copy_to_device(bsgp_context* context, void* device, const void* host, uint64_t bytes);
bsgp_status bsgp_copy_to_host(bsgp_context* context, void* host, const void* device, uint64_t bytes);

typedef struct bsgp_memory_info {
  uint64_t live_bytes;   /* device memory allocated now, streams of running spawns included */
  uint64_t peak_bytes;   /* most so far */
  uint64_t live_blocks;  /* allocations */
  uint64_t cached_bytes; /* freed, kept for reuse */
} bsgp_memory_info;
void bsgp_memory(bsgp_context* context, bsgp_memory_info* out); /* NULL as out: does nothing */

/* What a context created with `profile` has gathered so far, as a table; `trace` as above or NULL. BSGP_INVALID for a
 * context without a profile. */
bsgp_status bsgp_profile_report(bsgp_context* context, const char* trace);
/* Writes the trace, and ends the profile: nothing is printed then, neither now nor when the context is destroyed. No call may be running in
 * the context. */
bsgp_status bsgp_profile_end(bsgp_context* context, const char* trace);

/* ---- 2. Compiling at run time ---- */

/* These need the library with the compiler (libbsgp); it holds the runtime too. Link it in place of the runtime. */

/* A program compiled from text, with its machine code. */
typedef struct bsgp_program bsgp_program;

/* Begin with BSGP_COMPILE_OPTIONS_INIT, then set what matters. */
typedef struct bsgp_compile_options {
  size_t struct_size;              /* sizeof(bsgp_compile_options), as in bsgp_options */
  const char* name;                /* of the text, for messages; default "program.bsgp" */
  const char* cpu;                 /* "native" (default), "x86-64-v2", "x86-64-v3", "x86-64-v4", or a name LLVM knows */
  const char* fp;                  /* "contract" (default), "strict", "fast" */
  const char* const* include_dirs; /* searched for #include "file"; may be NULL */
  uint32_t include_dir_count;
  int32_t opt_level; /* 0 (default): full; 1: little, quick to compile; 2: without the costly passes; -1: none */
  int32_t reference; /* 1: for contexts of target "reference": one thread at a time, in any order; not with gpu */
  const char* gpu;   /* for contexts of target "cuda": "native" (this machine's), "sm_75", "sm_80" ...; NULL: CPUs */
  const char* check; /* code that finds its own mistakes, in contexts that have the same in bsgp_options: a list of
                        race, bounds, init, arithmetic, lint, library; or "all"; default: none */
  int64_t debug;     /* 1: functions, lines, and variables of host code for gdb (and for perf, where $JITDUMPDIR names
                        the folder for its file), at `name` in the current folder; default: none */
} bsgp_compile_options;
#define BSGP_COMPILE_OPTIONS_INIT {sizeof(bsgp_compile_options), NULL, NULL, NULL, NULL, 0, 0, 0, NULL, NULL, 0}

/* Compiles `source` (a C string; copied). BSGP_OUT_OF_MEMORY, or the end of the process, as above, where there is no
 * memory. `options` may be NULL. On BSGP_INVALID the program has errors, and the message is all of them with their
 * places; *out is then NULL. The caller owns the program. May be called from several threads at a time. */
bsgp_status bsgp_compile(const char* source, const bsgp_compile_options* options, bsgp_program** out);

/* Compiles the tree of a program that another front end made: JSON, in the form of docs/trees.md (a C string; copied). Nodes have places
 * in texts of the front end, which messages show; options->name is not used. All else is as in bsgp_compile. BSGP_INVALID also: the tree is
 * malformed. */
bsgp_status bsgp_compile_tree(const char* tree, const bsgp_compile_options* options, bsgp_program** out);

/* Frees the program and its code: no function of it may be running or be called later, for its addresses are no code
 * then. NULL does nothing. BSGP_INVALID: it was destroyed before. */
bsgp_status bsgp_program_destroy(bsgp_program* program);

/* The address of an exported function, to be cast to the type that the generated header would declare:
 *   bsgp_status (*)(bsgp_context*, arguments..., result*)
 * with scalars and pointers by value, structs and vectors by const pointer, and no result* where nothing is returned.
 * Valid as long as the program. BSGP_INVALID: the program exports no function of this name. */
bsgp_status bsgp_program_function(bsgp_program* program, const char* name, void** out);

/* What a program exports, for callers that learn it at run time: interpreters, bindings. All of it is owned by the program. */

typedef enum bsgp_type_kind {
  BSGP_TYPE_VOID,    /* no result; what a void* leads to */
  BSGP_TYPE_SCALAR,  /* bool, integers, floats, enums */
  BSGP_TYPE_POINTER, /* T* */
  BSGP_TYPE_VIEW,    /* T[,] and T[,,]: a struct of a pointer and 2 or 3 extents, the slowest first */
  BSGP_TYPE_VECTOR,  /* float3 */
  BSGP_TYPE_STRUCT,
  BSGP_TYPE_ARRAY /* T[4] */
} bsgp_type_kind;

typedef struct bsgp_type bsgp_type;

typedef struct bsgp_field {
  const char* name;
  const bsgp_type* type;
  uint64_t offset; /* in bytes */
} bsgp_field;

struct bsgp_type {
  bsgp_type_kind kind;
  int32_t dtype;            /* SCALAR: a bsgp_dtype; else -1 */
  const char* text;         /* as the program spells it: "const float*", "float[,]" */
  uint64_t size, align;     /* in bytes, as C lays it out; a pointer has 8 */
  uint64_t count;           /* VECTOR: lanes; ARRAY: elements; VIEW: extents; else 0 */
  int32_t on_device;        /* POINTER, VIEW: 1: leads to memory of the device; 0: of the host */
  int32_t is_const;         /* POINTER, VIEW: 1: the function does not write through it */
  const bsgp_type* element; /* POINTER, VIEW: what it leads to; VECTOR, ARRAY: what it is made of; else NULL */
  const bsgp_field* fields; /* STRUCT, VIEW; structs may lead to themselves by pointers */
  uint32_t field_count;
};

typedef struct bsgp_parameter {
  const char* name;
  const bsgp_type* type;
  int32_t by_reference; /* 1: T&: the function reads and, unless is_const, writes the caller's own */
  int32_t is_const;
} bsgp_parameter;

typedef struct bsgp_export {
  const char* name;
  const char* text; /* "void scale(device float* data, int n)" */
  const char* file; /* of its declaration; the name of the text, or of a file that it includes */
  uint32_t line;    /* from 1 */
  uint32_t parameter_count;
  const bsgp_parameter* parameters;
  const bsgp_type* result;
  void* address; /* as bsgp_program_function gives it */
  /* Calls the function with the addresses of its arguments, each aligned as its type is, and behind them, if there is a result, that of
   * the place for it. A pointer is an argument like a number: its address is given, not itself. */
  bsgp_status (*apply)(bsgp_context* context, void* const* arguments);
} bsgp_export;

/* In the order of the text. */
uint32_t bsgp_program_export_count(bsgp_program* program);
/* BSGP_INVALID: there is no export of this number, from 0. */
bsgp_status bsgp_program_export(bsgp_program* program, uint32_t number, const bsgp_export** out);

/* The text of the C header of the exported functions. Owned by the program. */
const char* bsgp_program_header(bsgp_program* program);

/* The compiler's warnings with their places and help, as `bsgpc check` prints them; "": there are none. Owned by the
 * program. */
const char* bsgp_program_warnings(bsgp_program* program);

#ifdef __cplusplus
}
#endif

/* ---- 3. Arrays, also of the library with the compiler ---- */

#include "bsgp/arrays.h"
#endif
