/* Arrays in C: values of up to eight dimensions, computed when they are read. bsgp.h includes this file.
 *
 * An operation makes an array that remembers how it is computed. bsgp_array_read, bsgp_array_eval and bsgp_array_data compute:
 * whole expressions at once, in few passes over memory. Arrays never change. <bsgp/arrays.hpp> is the same for C++.
 *
 *   bsgp_array *x, *y, *sum;
 *   int64_t shape[] = {2, 3};
 *   bsgp_array_from(values, BSGP_FLOAT32, 2, shape, &x);
 *   bsgp_array_apply(BSGP_OP_EXP, 1, &x, &y);
 *   bsgp_array_reduce(BSGP_FOLD_SUM, y, -1, NULL, 0, &sum);   over all axes
 *   bsgp_array_read(sum, &value, sizeof value);               computes exp and sum in one pass
 *
 * Functions return BSGP_OK, or leave a message for bsgp_error_message: the operation, the shapes or types, the way out. `*out` is then
 * NULL. An array that is returned belongs to the caller, who ends that by bsgp_array_release; operands stay the caller's. Any function
 * may be called from any thread.
 */
#ifndef BSGP_ARRAYS_H
#define BSGP_ARRAYS_H

#include "bsgp/bsgp.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bsgp_array bsgp_array;

enum { BSGP_MOST_AXES = 8 };

/* Types of elements. Elements of bool are bytes, 0 or 1; those of complex types are two floats, the real part first. */
typedef enum bsgp_dtype {
  BSGP_BOOL,
  BSGP_INT8,
  BSGP_INT16,
  BSGP_INT32,
  BSGP_INT64,
  BSGP_UINT8,
  BSGP_UINT16,
  BSGP_UINT32,
  BSGP_UINT64,
  BSGP_FLOAT16,
  BSGP_FLOAT32,
  BSGP_FLOAT64,
  BSGP_COMPLEX64,  /* of two float32 */
  BSGP_COMPLEX128, /* of two float64 */
  BSGP_DTYPE_COUNT
} bsgp_dtype;

/* Operations on elements. Operands are broadcast as in NumPy. Types follow the array API standard; mixes of integers and floats, NumPy.
 * Each operation rounds by itself; integers wrap.
 *
 * A product of complex numbers is (ac - bd) + (ad + bc)i, a quotient is computed by Smith's algorithm, both as in NumPy; functions have
 * the branch cuts and special values of the C library. Complex numbers have no order: <, <=, >, >=, minimum, maximum, floor_divide,
 * remainder and the condition of select refuse them. So do floor, ceil, trunc, cbrt, erf, erfc, signbit, atan2, hypot, copysign and fma. */
typedef enum bsgp_operation {
  /* one operand */
  BSGP_OP_NEGATIVE,
  BSGP_OP_ABS,  /* of a complex number a real one */
  BSGP_OP_SIGN, /* -1, 0, 1; NaN of NaN; of a complex number x / |x| */
  BSGP_OP_SQUARE,
  BSGP_OP_RECIPROCAL, /* of floats and complex numbers */
  BSGP_OP_FLOOR,
  BSGP_OP_CEIL,
  BSGP_OP_TRUNC,
  BSGP_OP_ROUND, /* half to even; of a complex number each part */
  BSGP_OP_SQRT,
  BSGP_OP_EXP,
  BSGP_OP_EXP2,
  BSGP_OP_EXPM1,
  BSGP_OP_LOG,
  BSGP_OP_LOG2,
  BSGP_OP_LOG10,
  BSGP_OP_LOG1P,
  BSGP_OP_SIN,
  BSGP_OP_COS,
  BSGP_OP_TAN,
  BSGP_OP_ASIN,
  BSGP_OP_ACOS,
  BSGP_OP_ATAN,
  BSGP_OP_SINH,
  BSGP_OP_COSH,
  BSGP_OP_TANH,
  BSGP_OP_ASINH,
  BSGP_OP_ACOSH,
  BSGP_OP_ATANH,
  BSGP_OP_CBRT,
  BSGP_OP_ERF,
  BSGP_OP_ERFC,
  BSGP_OP_ISNAN,
  BSGP_OP_ISINF,
  BSGP_OP_ISFINITE,
  BSGP_OP_SIGNBIT,
  BSGP_OP_LOGICAL_NOT,
  BSGP_OP_INVERT, /* of bits; of a bool: not */
  BSGP_OP_REAL,   /* the real part; of another array itself */
  BSGP_OP_IMAG,   /* the imaginary part; of another array zeros of its type */
  BSGP_OP_CONJ,   /* a - bi of a + bi; of another array itself */
  BSGP_OP_ANGLE,  /* atan2(imag(a), real(a)) */
  /* two operands */
  BSGP_OP_ADD,
  BSGP_OP_SUBTRACT,
  BSGP_OP_MULTIPLY,
  BSGP_OP_DIVIDE,       /* of integers: a float64 */
  BSGP_OP_FLOOR_DIVIDE, /* rounds down; of integers by 0: 0 */
  BSGP_OP_REMAINDER,    /* has the sign of the divisor; of integers by 0: 0 */
  BSGP_OP_MINIMUM,      /* NaN if one is NaN, as in maximum */
  BSGP_OP_MAXIMUM,
  BSGP_OP_POW,
  BSGP_OP_ATAN2,
  BSGP_OP_HYPOT,
  BSGP_OP_COPYSIGN,
  BSGP_OP_EQUAL,
  BSGP_OP_NOT_EQUAL,
  BSGP_OP_LESS,
  BSGP_OP_LESS_EQUAL,
  BSGP_OP_GREATER,
  BSGP_OP_GREATER_EQUAL,
  BSGP_OP_LOGICAL_AND,
  BSGP_OP_LOGICAL_OR,
  BSGP_OP_LOGICAL_XOR,
  BSGP_OP_AND, /* of bits */
  BSGP_OP_OR,
  BSGP_OP_XOR,
  BSGP_OP_SHIFT_LEFT,
  BSGP_OP_SHIFT_RIGHT, /* by more bits than there are: 0, or -1 of a negative number */
  BSGP_OP_RANDOM_BITS, /* of uint64 keys and counters: 64 bits of Philox 4x32-10, the same everywhere */
  /* three operands */
  BSGP_OP_COND,   /* a ? b : c of a bool */
  BSGP_OP_SELECT, /* a > 0 ? b : c */
  BSGP_OP_FMA,    /* a * b + c, rounded once */
  BSGP_OP_COUNT
} bsgp_operation;

/* Reductions. Sums and products of bools and integers are of 64 bits; those of float16 are computed in float32 and rounded once. The order in which values are combined depends on the
 * shape alone. There is no least or greatest complex number: an error. */
typedef enum bsgp_fold {
  BSGP_FOLD_SUM,
  BSGP_FOLD_PROD,
  BSGP_FOLD_MIN, /* NaN if there is one, as in max; of no values: an error */
  BSGP_FOLD_MAX,
  BSGP_FOLD_ALL, /* of a bool: whether it holds for all; of others: whether none is 0 */
  BSGP_FOLD_ANY,
  BSGP_FOLD_COUNT
} bsgp_fold;

/* Operations on each row along an axis. Complex numbers have no order: there are sums and products of them alone. */
typedef enum bsgp_rows {
  BSGP_ROWS_SORT,           /* stable; NaN last; -0 and +0 are equal */
  BSGP_ROWS_ARGSORT,        /* int64: where the sorted elements stand */
  BSGP_ROWS_CUMULATIVE_SUM, /* each element and all in front of it, of the type of the sum */
  BSGP_ROWS_CUMULATIVE_PROD,
  BSGP_ROWS_ARGMIN, /* int64: where the least one stands, the first of equal ones; the first NaN if there is one */
  BSGP_ROWS_ARGMAX,
  BSGP_ROWS_CUMULATIVE_MIN, /* each element, and the least of all in front of it; NaN from the first NaN on */
  BSGP_ROWS_CUMULATIVE_MAX,
  BSGP_ROWS_COUNT
} bsgp_rows;

/* The elements that an operation finds outside of an array. */
typedef enum bsgp_border {
  BSGP_BORDER_CLAMP, /* the nearest one inside */
  BSGP_BORDER_WRAP,  /* as if the array were repeated */
  BSGP_BORDER_VALUE  /* a value */
} bsgp_border;

/* How scatter combines an element with an update. */
typedef enum bsgp_scatter {
  BSGP_SCATTER_SET, /* the last update stays */
  BSGP_SCATTER_ADD, /* of bools: or */
  BSGP_SCATTER_MULTIPLY,
  BSGP_SCATTER_MIN, /* NaN if one is NaN, as in max */
  BSGP_SCATTER_MAX,
  BSGP_SCATTER_COUNT
} bsgp_scatter;

/* ---- making ---- */

/* Copies `data`, rows first; may be NULL where there are no elements. Extents are not negative. */
bsgp_status bsgp_array_from(const void* data, bsgp_dtype dtype, int32_t rank, const int64_t* shape, bsgp_array** out);
/* One value, an array of rank 0. weak: not 0 for a number in the program's text, which takes the type of the array that it meets
 * (array API standard, "mixing arrays with Python scalars"); dtype then tells bool, int64, float64 and complex128 apart. A complex one
 * makes complex64 of float16 and float32, and complex128 of float64, integers and bools. */
bsgp_status bsgp_array_scalar(const void* value, bsgp_dtype dtype, int32_t weak, bsgp_array** out);
/* Every element is `value`, an array of rank 0. */
bsgp_status bsgp_array_full(int32_t rank, const int64_t* shape, bsgp_array* value, bsgp_array** out);
/* Each element is its own index along `axis`, an int64. */
bsgp_status bsgp_array_index(int32_t rank, const int64_t* shape, int32_t axis, bsgp_array** out);

/* 64 random bits for each element, uint64: those of its place in row order, for this key. */
bsgp_status bsgp_array_random(uint64_t key, int32_t rank, const int64_t* shape, bsgp_array** out);

/* One more owner; returns it. */
bsgp_array* bsgp_array_retain(bsgp_array* array); /* NULL: nothing */
void bsgp_array_release(bsgp_array* array);       /* NULL: nothing */

/* ---- asking ---- */

bsgp_dtype bsgp_array_dtype(const bsgp_array* array);
int32_t bsgp_array_rank(const bsgp_array* array);
const int64_t* bsgp_array_shape(const bsgp_array* array); /* owned by the array */
size_t bsgp_dtype_bytes(bsgp_dtype dtype);
const char* bsgp_dtype_name(bsgp_dtype dtype); /* "float32" */

/* ---- computing ---- */

/* Computes the arrays, in as few passes as it can. */
bsgp_status bsgp_array_eval(int32_t count, bsgp_array* const* arrays);
/* Computes it and copies its elements, rows first. BSGP_INVALID: `bytes` is not their size. */
bsgp_status bsgp_array_read(bsgp_array* array, void* to, uint64_t bytes);
/* Computes it; the elements, rows first, are owned by the array. */
bsgp_status bsgp_array_data(bsgp_array* array, const void** out);

/* ---- operations ---- */

bsgp_status bsgp_array_apply(bsgp_operation operation, int32_t count, bsgp_array* const* operands, bsgp_array** out);
/* Floats to integers: towards zero, and the nearest one that there is; NaN: 0. Complex numbers to bool: whether they are not 0; to
 * integers and floats: an error, as BSGP_OP_REAL says which part is meant. */
bsgp_status bsgp_array_cast(bsgp_array* array, bsgp_dtype dtype, bsgp_array** out);
/* axis_count -1: over all axes. An axis below 0 counts from the end. keep: 1: reduced axes stay with extent 1. */
bsgp_status bsgp_array_reduce(bsgp_fold fold, bsgp_array* array, int32_t axis_count, const int32_t* axes, int32_t keep,
                              bsgp_array** out);

/* The mean of float16 is computed in float32, of integers and bools in float64; of no elements it is NaN. */
bsgp_status bsgp_array_mean(bsgp_array* array, int32_t axis_count, const int32_t* axes, int32_t keep, bsgp_array** out);
/* Along an axis; axis NULL: of all elements in their order. keep: of argmin and argmax: 1: the axis stays with extent 1. */
bsgp_status bsgp_array_rows(bsgp_rows rows, bsgp_array* array, const int32_t* axis, int32_t keep, bsgp_array** out);
/* Sums of products over the last axis of a and the first of b, in the order of a sum. */
bsgp_status bsgp_array_inner_product(bsgp_array* a, bsgp_array* b, bsgp_array** out);
/* Each element of a times each one of b; the axes of a come first. */
bsgp_status bsgp_array_outer_product(bsgp_array* a, bsgp_array* b, bsgp_array** out);

/* Transformations. Each array of numbers has one for each axis. None copies.
 * section: element i is that at begin + i * stride, for i below count; strides may be negative. */
bsgp_status bsgp_array_section(bsgp_array* array, const int64_t* begin, const int64_t* count, const int64_t* stride,
                               bsgp_array** out);
/* Element i is that at i - by. value: of rank 0, for BSGP_BORDER_VALUE; else NULL. */
bsgp_status bsgp_array_shift(bsgp_array* array, const int64_t* by, bsgp_border border, bsgp_array* value,
                             bsgp_array** out);
/* `before` elements are put in front of each axis and `after` behind it. */
bsgp_status bsgp_array_extend(bsgp_array* array, const int64_t* before, const int64_t* after, bsgp_border border,
                              bsgp_array* value, bsgp_array** out);
/* The array, repeated until it has `shape`. */
bsgp_status bsgp_array_replicate(bsgp_array* array, const int64_t* shape, bsgp_array** out);
/* Axis i is axis order[i] of the array. */
bsgp_status bsgp_array_transpose(bsgp_array* array, const int32_t* order, bsgp_array** out);
/* Leaves out an axis: its first element stays. */
bsgp_status bsgp_array_drop_dimension(bsgp_array* array, int32_t axis, bsgp_array** out);
/* The elements at `index` along an axis, which goes; below 0: from the end. */
bsgp_status bsgp_array_component(bsgp_array* array, int32_t axis, int64_t index, bsgp_array** out);
/* A new axis in front of axis `axis`, 0 up to the rank, of `extent` equal elements. */
bsgp_status bsgp_array_add_dimension(bsgp_array* array, int32_t axis, int64_t extent, bsgp_array** out);
bsgp_status bsgp_array_broadcast(bsgp_array* array, int32_t rank, const int64_t* shape, bsgp_array** out);
/* The elements in the same order; one extent may be -1: what is left. */
bsgp_status bsgp_array_reshape(bsgp_array* array, int32_t rank, const int64_t* shape, bsgp_array** out);
/* Along `axis`, the elements at `indices` (integers; below 0: from the end), whose axes take the place of that axis. One outside fails
 * when it is computed. */
bsgp_status bsgp_array_gather(bsgp_array* array, bsgp_array* indices, int32_t axis, bsgp_array** out);

/* Element i is that at i / times, rounded down, along each axis: each is repeated so many times. */
bsgp_status bsgp_array_stretch(bsgp_array* array, const int64_t* times, bsgp_array** out);
/* The arrays one behind the other along an axis; their other extents are equal. 1 array at least. */
bsgp_status bsgp_array_concatenate(int32_t count, bsgp_array* const* arrays, int32_t axis, bsgp_array** out);

/* A copy of the array in which row indices[i] (along axis 0; below 0: from the end) is combined with updates[i], in the order of the
 * indices. updates: of the indices' shape and the array's extents behind axis 0, or broadcast to that. An index outside fails when it is
 * computed. */
bsgp_status bsgp_array_scatter(bsgp_array* array, bsgp_array* indices, bsgp_array* updates, bsgp_scatter how,
                               bsgp_array** out);
/* Counts, int64, of the elements in each of `bins` equal parts of [low, high], whose last one has its end. Others are left out, and NaN.
 * The edges are NumPy's. */
bsgp_status bsgp_array_histogram(bsgp_array* array, int64_t bins, double low, double high, bsgp_array** out);
/* Of an array with one axis: element i is the reduction of elements offsets[i] up to offsets[i + 1], in the order of a reduction of its own.
 * offsets: integers with one axis, one more than segments, which do not descend; else it fails when it is computed. */
bsgp_status bsgp_array_segment_reduce(bsgp_fold fold, bsgp_array* array, bsgp_array* offsets, bsgp_array** out);
/* Of an array with one axis: a cumulative operation from left to right, which begins anew where the bool of `heads` is set. */
bsgp_status bsgp_array_segment_scan(bsgp_rows scan, bsgp_array* array, bsgp_array* heads, bsgp_array** out);

/* The elements of a, in their order, whose flag is set, as an array with one axis. Both are of one shape. The flags are computed now: the
 * shape depends on them. */
bsgp_status bsgp_array_compress(bsgp_array* array, bsgp_array* flags, bsgp_array** out);
/* The different elements, ascending, as an array with one axis; each NaN is one of its own. Of complex numbers: an error. Computed
 * now. */
bsgp_status bsgp_array_unique(bsgp_array* array, bsgp_array** out);

/* ---- functions ----
 * A function is made once of parameters and of arrays that were made of them, and is called many times with other arrays: a call computes
 * its outputs, and makes no graph. */

/* An array without values. Extents may be -1: any; a call's argument has it. Until then, an unknown extent goes with unknown ones and
 * with 1. What is made of parameters cannot be read: a function of them computes it. */
bsgp_status bsgp_array_parameter(bsgp_dtype dtype, int32_t rank, const int64_t* shape, bsgp_array** out);

typedef struct bsgp_array_function bsgp_array_function;
/* BSGP_INVALID: an output depends on a parameter that is not named. The arrays may be released. */
bsgp_status bsgp_array_function_create(int32_t parameter_count, bsgp_array* const* parameters, int32_t output_count,
                                       bsgp_array* const* outputs, bsgp_array_function** out);
/* One argument for each parameter, of its type, or a number of the text; they are computed first. results: as many as there are outputs,
 * computed; the caller releases them. Several threads may call it; they wait for each other. */
bsgp_status bsgp_array_function_call(bsgp_array_function* function, int32_t argument_count,
                                     bsgp_array* const* arguments, bsgp_array** results);
void bsgp_array_function_release(bsgp_array_function* function); /* NULL: nothing */

/* ---- looking inside ---- */

/* What computing them would do: one line for each pass over memory with its operations, and why it ends. Valid until this thread's next
 * call. Computes nothing. */
bsgp_status bsgp_array_explain(int32_t count, bsgp_array* const* arrays, const char** text);

typedef struct bsgp_array_counts {
  int64_t kernels, operations, bytes_written; /* of explain: what the arrays need */
} bsgp_array_counts;
bsgp_status bsgp_array_explain_counts(int32_t count, bsgp_array* const* arrays, bsgp_array_counts* out);

typedef struct bsgp_array_statistics {
  int64_t live_bytes;  /* of arrays that have been computed or copied in */
  int64_t evaluations; /* so far */
  int64_t kernels;     /* that these have run */
  int64_t compiled;    /* pieces of machine code that were made */
} bsgp_array_statistics;
void bsgp_arrays_statistics(bsgp_array_statistics* out);

/* Of this thread's evaluations. */
typedef struct bsgp_array_options {
  uint32_t threads; /* that work at a time; 0: all processors this process may use */
  int32_t unfused;  /* 1: each operation by itself. The results are the same bits */
  int32_t compile;  /* 0: arithmetic of kernels is compiled where that pays; 1: always; -1: never. The same bits, too */
  /* A chain of operations whose results would take more memory is evaluated without being asked; 0: 16 GiB. An operation counts as 4 KiB
   * at least. A failure is reported where the array is read. */
  int64_t most_pending_bytes;
  /* "cpu" (NULL is the same), "cuda": a GPU, or "reference": one thread at a time. The names are those of bsgp_options.target, the bits
   * are the same on all. On "cuda" and "reference" each pass is a program of the language, which is compiled when a pass of its form
   * first runs. An evaluation copies the arrays that it reads there, and those that it was asked for back. The CPU makes passes with
   * complex numbers, and those of scatter, histogram, segment_reduce and segment_scan. `compile` is about "cpu" alone. */
  const char* target;
} bsgp_array_options;
/* BSGP_INVALID: there is no such target. BSGP_UNAVAILABLE: its machine is not there. Nothing changes then. */
bsgp_status bsgp_arrays_set_options(const bsgp_array_options* options);
void bsgp_arrays_get_options(bsgp_array_options* out); /* the target's name lives as long as the process */

#ifdef __cplusplus
}
#endif
#endif
