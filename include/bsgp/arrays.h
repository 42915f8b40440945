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

/* Reductions. Sums and products of bools and integers are of 64 bits; those of float16 are computed in float32 and rounded once. The order
 * in which values are combined depends on the shape alone. There is no least or greatest complex number: an error. */
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

/* Norms of matrices: of the sums of magnitudes in columns the greatest or the least one, of rows the same (INFINITY), of the singular
 * values the greatest, the least, or the sum (NUCLEAR); FROBENIUS: the root of the sum of squares. */
typedef enum bsgp_norm {
  BSGP_NORM_FROBENIUS,
  BSGP_NORM_NUCLEAR,
  BSGP_NORM_1,
  BSGP_NORM_MINUS_1,
  BSGP_NORM_2,
  BSGP_NORM_MINUS_2,
  BSGP_NORM_INFINITY,
  BSGP_NORM_MINUS_INFINITY,
  BSGP_NORM_COUNT
} bsgp_norm;

/* Fourier transforms, by the names that the array API standard has for them. */
typedef enum bsgp_fft {
  BSGP_FFT_FFT,
  BSGP_FFT_IFFT,
  BSGP_FFT_RFFT,  /* of real numbers: the n / 2 + 1 elements that are not conjugates of others */
  BSGP_FFT_IRFFT, /* of such elements: real numbers */
  BSGP_FFT_HFFT,  /* fft of an array with Hermitian symmetry, of which the first half is given: real numbers */
  BSGP_FFT_IHFFT, /* its inverse */
  BSGP_FFT_COUNT
} bsgp_fft;

/* Which of a transform and its inverse has the factor 1 / n; ortho: both have its root. */
typedef enum bsgp_fft_norm {
  BSGP_FFT_NORM_BACKWARD, /* the inverse */
  BSGP_FFT_NORM_ORTHO,
  BSGP_FFT_NORM_FORWARD,
  BSGP_FFT_NORM_COUNT
} bsgp_fft_norm;

/* What kind of mistake the last failure of a function of this header was, on this thread, for languages that have a kind of exception for
 * each. Lack of memory is the status BSGP_OUT_OF_MEMORY. */
typedef enum bsgp_mistake {
  BSGP_MISTAKE_VALUE, /* shapes that do not go together, and all others */
  BSGP_MISTAKE_TYPE,  /* of elements */
  BSGP_MISTAKE_INDEX, /* of an element, or an axis that is not there */
  BSGP_MISTAKE_OVERFLOW,
  BSGP_MISTAKE_MATRIX /* it is singular, not positive definite, or without convergence */
} bsgp_mistake;
bsgp_mistake bsgp_array_mistake(void);

/* The place in the caller's program, such as "orbit.py:12", of operations that this thread writes from now on: errors of their evaluation
 * that depend on values name it. NULL: none. */
bsgp_status bsgp_arrays_set_origin(const char* place);

/* ---- making ---- */

/* Copies `data`, rows first; may be NULL where there are no elements. Extents are not negative. */
bsgp_status bsgp_array_from(const void* data, bsgp_dtype dtype, int32_t rank, const int64_t* shape, bsgp_array** out);
/* The same without a copy: the memory is read in place, and must not change until release(owner) is called, from any thread, when no array
 * reads it any more. Its elements are aligned. On failure the caller keeps it. */
bsgp_status bsgp_array_adopt(const void* data, bsgp_dtype dtype, int32_t rank, const int64_t* shape,
                             void (*release)(void* owner), void* owner, bsgp_array** out);
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
int32_t bsgp_array_is_computed(const bsgp_array* array);  /* 1: it has its values */
int32_t bsgp_array_is_open(const bsgp_array* array);      /* 1: it depends on a parameter, and never has values */
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
/* The next number of the common floating-point type from each element of a in the direction of that of b; shapes are broadcast. */
bsgp_status bsgp_array_nextafter(bsgp_array* a, bsgp_array* b, bsgp_array** out);
/* axis_count -1: over all axes. An axis below 0 counts from the end. keep: 1: reduced axes stay with extent 1. */
bsgp_status bsgp_array_reduce(bsgp_fold fold, bsgp_array* array, int32_t axis_count, const int32_t* axes, int32_t keep,
                              bsgp_array** out);

/* The mean of float16 is computed in float32, of integers and bools in float64; of no elements it is NaN. */
bsgp_status bsgp_array_mean(bsgp_array* array, int32_t axis_count, const int32_t* axes, int32_t keep, bsgp_array** out);
/* Along an axis; axis NULL: of all elements in their order. keep: of argmin and argmax: 1: the axis stays with extent 1. */
bsgp_status bsgp_array_rows(bsgp_rows rows, bsgp_array* array, const int32_t* axis, int32_t keep, bsgp_array** out);
/* Sums of products over the last axis of a and the first of b; large ones as in matmul. */
bsgp_status bsgp_array_inner_product(bsgp_array* a, bsgp_array* b, bsgp_array** out);
/* Each element of a times each one of b; the axes of a come first. */
bsgp_status bsgp_array_outer_product(bsgp_array* a, bsgp_array* b, bsgp_array** out);

/* Products of matrices, the last two axes; leading axes are broadcast. An operand with one axis is a row (a) or a column (b), and the
 * result lacks that axis; one without axes is an error, as are other extents than (m, k) and (k, n). The type is that of a * b; integers
 * wrap, bools are combined by and, and by or. float16 is computed in float32.
 *
 * Large products of floats and complex numbers are computed by BLAS (OpenBLAS's gemm and gemv, loaded at first use; BSGP_FAILED where it is
 * missing): their last bits may differ from machine to machine. With the option `exact` they have the order of a sum, as small ones do
 * anyway. */
bsgp_status bsgp_array_matmul(bsgp_array* a, bsgp_array* b, bsgp_array** out);
/* Sums of conj(a) * b along an axis, below 0: counted from the last; it has the same extent in both, and others are broadcast. The type is
 * that of a * b. */
bsgp_status bsgp_array_vecdot(bsgp_array* a, bsgp_array* b, int32_t axis, bsgp_array** out);
/* Sums of products over `count` axes of a and as many of b, in pairs of equal extents; the other axes of a, then those of b. As matmul of
 * matrices that are made of these axes. */
bsgp_status bsgp_array_tensordot(bsgp_array* a, bsgp_array* b, int32_t count, const int32_t* axes_a,
                                 const int32_t* axes_b, bsgp_array** out);

/* Transformations. Each array of numbers has one for each axis. None copies.
 * section: element i is that at begin + i * stride, for i below count; strides may be negative. */
bsgp_status bsgp_array_section(bsgp_array* array, const int64_t* begin, const int64_t* count, const int64_t* stride,
                               bsgp_array** out);
/* A section along one axis. begin and end are counted from behind the last element where they are negative, and are cut at the ends of the
 * axis: of a parameter's unknown extent, too. stride may be negative, and is not 0; INT64_MIN as the end is in front of the first element. */
bsgp_status bsgp_array_slice(bsgp_array* array, int32_t axis, int64_t begin, int64_t end, int64_t stride,
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
/* The array has one axis. Element i is the reduction of elements offsets[i] up to offsets[i + 1], in the order of a reduction of its own.
 * offsets: integers with one axis, one more than segments, which do not descend; else it fails when it is computed. */
bsgp_status bsgp_array_segment_reduce(bsgp_fold fold, bsgp_array* array, bsgp_array* offsets, bsgp_array** out);
/* The array has one axis. A cumulative operation goes from left to right, and begins anew where the bool of `heads` is set. */
bsgp_status bsgp_array_segment_scan(bsgp_rows scan, bsgp_array* array, bsgp_array* heads, bsgp_array** out);

/* The elements of a, in their order, whose flag is set, as an array with one axis. Both are of one shape. The flags are computed now: the
 * shape depends on them. */
bsgp_status bsgp_array_compress(bsgp_array* array, bsgp_array* flags, bsgp_array** out);
/* The different elements, ascending, as an array with one axis; each NaN is one of its own. Of complex numbers: an error. Computed
 * now. */
bsgp_status bsgp_array_unique(bsgp_array* array, bsgp_array** out);

/* ---- linear algebra ----
 * Matrices are the last two axes of an array; leading axes are a batch of them, each is computed by itself. The functions are those of the
 * array API standard's extension `linalg`. Numbers are of floating-point or complex types, others are an error unless it is said; float16
 * is computed in float32. An array with fewer than two axes is an error, and where it is said, a matrix that is not square.
 *
 * "LAPACK": computed by the functions that are named, of OpenBLAS, which is loaded at first use; BSGP_FAILED where it is missing. Their
 * last bits may differ from machine to machine, and so may the signs of vectors. A failure that depends on values comes when the result is
 * computed: it names the first matrix of the batch that is singular, not positive definite, not finite or without convergence. The results
 * of one call are computed together. Other functions are made of operations on arrays, and fused with them. */

/* Any type: the last two axes exchanged. */
bsgp_status bsgp_array_matrix_transpose(bsgp_array* array, bsgp_array** out);
/* Any type: elements (i, i + offset) as a last axis; offsets below 0: below the diagonal. */
bsgp_status bsgp_array_diagonal(bsgp_array* array, int64_t offset, bsgp_array** out);
/* Any type: their sum, of the type of a sum. */
bsgp_status bsgp_array_trace(bsgp_array* array, int64_t offset, bsgp_array** out);
/* Any type: each element of a times each one of b; both have one axis. */
bsgp_status bsgp_array_outer(bsgp_array* a, bsgp_array* b, bsgp_array** out);
/* Numbers of any type: the cross products of vectors, of three elements along an axis; the others are broadcast. An axis that is not below
 * 0 needs equal numbers of axes. */
bsgp_status bsgp_array_cross(bsgp_array* a, bsgp_array* b, int32_t axis, bsgp_array** out);
/* Numbers of any type: the product of so many square matrices; below 0: of their inverses, 0: ones on the diagonal. */
bsgp_status bsgp_array_matrix_power(bsgp_array* array, int64_t exponent, bsgp_array** out);
/* Over axes (axis_count -1: all of them), a real number: the sum of |x| to the power of `order`, to the power of 1 / order. Infinities: the
 * greatest and the least magnitude; 0: how many are not 0. keep: 1: the axes stay with extent 1. Any number of axes. */
bsgp_status bsgp_array_vector_norm(bsgp_array* array, int32_t axis_count, const int32_t* axes, int32_t keep,
                                   double order, bsgp_array** out);
/* A real number for each matrix; 2, MINUS_2 and NUCLEAR by svdvals. keep: 1: both axes stay with extent 1. */
bsgp_status bsgp_array_matrix_norm(bsgp_array* array, int32_t keep, bsgp_norm norm, bsgp_array** out);

/* LAPACK's potrf: the lower factor L of a = L L', of which the lower triangle is read; upper: 1: U of a = U' U, of the upper one. Fails for
 * a matrix that is not positive definite. Square. */
bsgp_status bsgp_array_cholesky(bsgp_array* array, int32_t upper, bsgp_array** out);
/* LAPACK's getrf: the determinants of square matrices. */
bsgp_status bsgp_array_det(bsgp_array* array, bsgp_array** out);
/* The same as a sign, a number of magnitude 1 of the array's type or 0, and the logarithm of the magnitude, a real number. */
bsgp_status bsgp_array_slogdet(bsgp_array* array, bsgp_array** sign, bsgp_array** logarithm);
/* LAPACK's getrf and getri: the inverses of square matrices. Fails for a singular one. */
bsgp_status bsgp_array_inv(bsgp_array* array, bsgp_array** out);
/* LAPACK's getrf and getrs: x of a x = b. a: square; b: a vector, with one axis, or matrices with as many rows; leading axes are broadcast.
 * Fails for a singular matrix. */
bsgp_status bsgp_array_solve(bsgp_array* a, bsgp_array* b, bsgp_array** out);
/* LAPACK's syevd or heevd, of symmetric or Hermitian matrices whose lower triangle is read: real values, ascending, and vectors of length
 * 1, the columns of a matrix. */
bsgp_status bsgp_array_eigh(bsgp_array* array, bsgp_array** values, bsgp_array** vectors);
bsgp_status bsgp_array_eigvalsh(bsgp_array* array, bsgp_array** out);
/* LAPACK's geev, of square matrices: complex values, in no order, and vectors of length 1, the columns of a matrix. */
bsgp_status bsgp_array_eig(bsgp_array* array, bsgp_array** values, bsgp_array** vectors);
bsgp_status bsgp_array_eigvals(bsgp_array* array, bsgp_array** out);
/* LAPACK's gelqf and orglq or unglq: q with orthonormal columns and an upper triangular r, a = q r, of (m, n) matrices: k = min(m, n)
 * columns and rows; complete: 1: m of them. */
bsgp_status bsgp_array_qr(bsgp_array* array, int32_t complete, bsgp_array** q, bsgp_array** r);
/* LAPACK's gesdd: a = u * s * vh of (m, n) matrices, s of k = min(m, n) real values, descending, u with k orthonormal columns and vh with k
 * such rows; full: 1: m columns and n rows. */
bsgp_status bsgp_array_svd(bsgp_array* array, int32_t full, bsgp_array** u, bsgp_array** s, bsgp_array** vh);
bsgp_status bsgp_array_svdvals(bsgp_array* array, bsgp_array** out);
/* By svd. rtol: real numbers of the batch's shape or of rank 0: singular values up to that part of the greatest one count as 0; NULL: the
 * greater extent times the type's epsilon.
 * matrix_rank: how many count, int64. pinv: the pseudoinverse (Moore, Penrose). lstsq: x with the least |a x - b|, and of these the least
 * |x|: pinv(a) b, for a vector b or matrices with as many rows. */
bsgp_status bsgp_array_matrix_rank(bsgp_array* array, bsgp_array* rtol, bsgp_array** out);
bsgp_status bsgp_array_pinv(bsgp_array* array, bsgp_array* rtol, bsgp_array** out);
bsgp_status bsgp_array_lstsq(bsgp_array* a, bsgp_array* b, bsgp_array* rtol, bsgp_array** out);

/* ---- Fourier transforms ----
 * The functions of the array API standard's extension `fft`, by pocketfft. float16, float32 and complex64 are computed in single precision
 * and give complex64 or float32, all others in double precision. RFFT and IHFFT take real numbers. The bits depend on the shape alone. */

/* Along an axis. points: the extent of the result (of IRFFT and HFFT), or that to which the axis is cut, or filled with zeros (of others);
 * NULL: the axis as it is, of IRFFT and HFFT 2 * (extent - 1). Fewer than one point are an error. */
bsgp_status bsgp_array_fft(bsgp_fft kind, bsgp_array* array, const int64_t* points, int32_t axis, bsgp_fft_norm norm,
                           bsgp_array** out);
/* FFT, IFFT, RFFT or IRFFT along `count` axes, the latter two with the real numbers along the last one named. points, one for each axis,
 * may be NULL, as above. axes NULL: the last ones, as many as there are points; both NULL: all axes. */
bsgp_status bsgp_array_fftn(bsgp_fft kind, bsgp_array* array, int32_t count, const int64_t* points, const int32_t* axes,
                            bsgp_fft_norm norm, bsgp_array** out);
/* The frequencies of the `count` elements of a transform of samples at a distance: 0, 1, … -2, -1, each divided by count * distance.
 * half: 1: of the elements of RFFT. dtype: float32 or float64. */
bsgp_status bsgp_array_fftfreq(int64_t count, double distance, int32_t half, bsgp_dtype dtype, bsgp_array** out);
/* Any type: the halves of axes (axis_count -1: all of them) exchanged, so that frequency 0 stands in the middle; inverse: 1: back. */
bsgp_status bsgp_array_fftshift(bsgp_array* array, int32_t axis_count, const int32_t* axes, int32_t inverse,
                                bsgp_array** out);

typedef struct bsgp_array_counts {
  int64_t kernels, operations, bytes_written; /* of explain: what the arrays need */
} bsgp_array_counts;

/* ---- functions ----
 * A function is made once of parameters and of arrays that were made of them, and is called many times with other arrays: a call computes
 * its outputs, and makes no graph. */

/* An array without values. Extents may be -1: any; a call's argument has it. Until then, an unknown extent goes with unknown ones and
 * with 1. What is made of parameters cannot be read: a function of them computes it. */
bsgp_status bsgp_array_parameter(bsgp_dtype dtype, int32_t rank, const int64_t* shape, bsgp_array** out);

/* The same of rank 0 for a number of the program's text, which takes the type of the array that it meets: of bool, int64, float64 or
 * complex128. A call's argument is a number of that type. */
bsgp_status bsgp_array_number_parameter(bsgp_dtype dtype, bsgp_array** out);

typedef struct bsgp_array_function bsgp_array_function;
/* BSGP_INVALID: an output depends on a parameter that is not named. The arrays may be released. */
bsgp_status bsgp_array_function_create(int32_t parameter_count, bsgp_array* const* parameters, int32_t output_count,
                                       bsgp_array* const* outputs, bsgp_array_function** out);

/* ---- parts of a graph ----
 *
 * A package that traces loops cuts a graph into stages, which are functions, and runs one after the other. */

typedef struct bsgp_array_list {
  int32_t count;
  bsgp_array* const* arrays;
} bsgp_array_list;

/* Arrays that this thread makes from now on belong to a scope, such as the body of a loop; 0: to none. Returns the one before. */
uint32_t bsgp_arrays_set_scope(uint32_t scope);

/* Finds where the graph of `roots` is cut. Behind the arrays of `known` it is not followed: is_reached has an entry for each.
 * crossing: arrays that are computed by operations which do not belong to `scope`, but are used by one that does, or are a root; with scope
 * 0 those that `earlier` are made of, too, or that are among them. Valid until this thread's next call. Arrays that are computed, numbers
 * of the text, and elements that are moved only are none of them: what they are made of is. */
bsgp_status bsgp_array_cut(const bsgp_array_list* roots, const bsgp_array_list* known, const bsgp_array_list* earlier,
                           uint32_t scope, int32_t* is_reached, bsgp_array_list* crossing);

/* As bsgp_array_function_create; parameters may be any arrays of a graph: calls give their values, of any extents. */
bsgp_status bsgp_array_stage_create(const bsgp_array_list* parameters, const bsgp_array_list* outputs,
                                    bsgp_array_function** out);

/* Whether it takes the type of the array that it meets, as a number of the text does. */
int32_t bsgp_array_is_weak(const bsgp_array* array);

/* One argument for each parameter, of its type, or a number of the text; they are computed first. results: as many as there are outputs,
 * computed; the caller releases them. Several threads may call it; they wait for each other. */
bsgp_status bsgp_array_function_call(bsgp_array_function* function, int32_t argument_count,
                                     bsgp_array* const* arguments, bsgp_array** results);
/* As a call, but computes nothing: the results are arrays that are made of the arguments. */
bsgp_status bsgp_array_function_apply(bsgp_array_function* function, int32_t argument_count,
                                      bsgp_array* const* arguments, bsgp_array** results);
/* Says as bsgp_array_explain what a call with such arguments does; computes nothing. The text is valid until this thread's next call. */
bsgp_status bsgp_array_function_explain(bsgp_array_function* function, int32_t argument_count,
                                        bsgp_array* const* arguments, const char** text, bsgp_array_counts* counts);
void bsgp_array_function_release(bsgp_array_function* function); /* NULL: nothing */

/* ---- looking inside ---- */

/* What computing them would do: one line for each pass over memory with its operations, and why it ends. Valid until this thread's next
 * call. Computes nothing. */
bsgp_status bsgp_array_explain(int32_t count, bsgp_array* const* arrays, const char** text);

bsgp_status bsgp_array_explain_counts(int32_t count, bsgp_array* const* arrays, bsgp_array_counts* out);

/* How far the evaluation is that this thread has begun: kernels that are done, and all; 0 and 0: there is none. The function that was given
 * to bsgp_set_interrupt may call it. */
void bsgp_arrays_progress(int64_t* done, int64_t* all);

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
  /* A chain of operations whose results would take more memory is evaluated without being asked; 0: 16 GiB. So is one of more than 8,192
   * operations. A failure is reported where the array is read. */
  int64_t most_pending_bytes;
  /* "cpu" (NULL is the same), "cuda": a GPU, or "reference": one thread at a time. The names are those of bsgp_options.target, the bits
   * are the same on all. On "cuda" and "reference" each pass is a program of the language, which is compiled when a pass of its form
   * first runs. An evaluation copies the arrays that it reads there, and those that it was asked for back. The CPU makes passes with
   * complex numbers, and those of scatter, histogram, segment_reduce and segment_scan, large products of matrices, linear algebra and
   * Fourier transforms. `compile` is about "cpu" alone. */
  const char* target;
  /* 1: products of matrices are computed in the order of a sum in place of by BLAS: slower, and the same bits everywhere. */
  int32_t exact;
} bsgp_array_options;
/* BSGP_INVALID: there is no such target. BSGP_UNAVAILABLE: its machine is not there. Nothing changes then. */
bsgp_status bsgp_arrays_set_options(const bsgp_array_options* options);
void bsgp_arrays_get_options(bsgp_array_options* out); /* the target's name lives as long as the process */

#ifdef __cplusplus
}
#endif
#endif
