"""Facts about the language that kernels become: its words, and messages in words of Python."""

# Words of C, which parameters of exported functions cannot have.
WORDS_OF_C = frozenset(
    (
        "auto break case char const continue default do double else enum extern float for goto if inline int long register "
        "restrict return short signed sizeof static struct switch typedef union unsigned void volatile while bool true false "
        "class new delete this template namespace main operator private public protected try catch throw using virtual half uint "
        "uchar ushort ulong spawn barrier require par export thread block"
    ).split()
)
# Functions that the translation calls by name: a variable of such a name would hide them.
CALLED = frozenset(
    (
        "reduce scan scan_inclusive assert fill peek poke pow abs fabs sqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan "
        "asin acos atan atan2 sinh cosh tanh asinh acosh atanh erf erfc hypot copysign fmod fma floor ceil trunc rint isnan isinf "
        "isfinite atomic_add atomic_min atomic_max atomic_and atomic_or atomic_xor atomic_exchange atomic_cas rop_add rop_mul "
        "rop_min rop_max rop_and rop_or rop_xor"
    ).split()
)
# In words of Python, for messages of the compiler.
HELPS = {
    "racy_update": 'bp.atomic_add(x, i, v) adds as one step; one value for all threads is bp.reduce("+", x)',
    "counted_once": 'one for each thread: bp.reduce("+", 1)',
    "collective_on_host": "put it into with bp.spawn(n):",
    "get_in_first": "bp.barrier() in front of it: bp.get reads the value at the last barrier",
    "get_of_old_ranks": "bp.barrier() in front of it, to find threads by their new ranks",
    "get_behind_change": "bp.barrier() in front of it",
    "get_of_new": "assign to the variable in front of the barrier",
    "host_pointer_on_device": "make it a parameter, or memory of bp.empty",
    "host_call_on_device": "a function with bp.spawn in it is called outside of spawns, in the kernel or in Python",
    "device_call_on_host": "call it inside of with bp.spawn(n):",
    "return_missing": "return a value at the end, too",
    "return_missing_here": "return a value at the end, too",
    "narrow_sum": "bp.int64(x) sums in 64 bits",
    "barrier_divergent": 'let all threads come here, as in bp.reduce("+", x if c else 0); or agree by if bp.reduce(any, c):',
    "barrier_in_host_flow": "make the condition of parameters, constants and results of bp.reduce",
    "barrier_after_return": "bp.kill(condition) ends threads in place of the return; or put the statements up to the barrier under an 'if'",
    "host_variable_written": 'one value for all threads is total = bp.reduce("+", x), or by another operator; a variable of the threads has another name',
    "device_pointer_on_host": "read the element in a spawn, or in the kernel itself and not in a function that it calls",
}
# Warnings of the compiler that are about how a text of its language is written.
SILENT = (
    "near_miss constant_changes copy_in_loop sum_widened assignment_condition assigned_argument no_effect unused_result "
    "mixed_signs chained_comparison precedence shifted_sum never_negative arguments_swapped outside_of_type same_operands "
    "contradiction outside_of_result float_comparison division_by_zero zero_quotient integer_quotient self_assignment "
    "changed_twice reversed_operator xor_as_power unused_total order_not_strict constant_operand empty_body "
    "misleading_indentation fraction_lost unused_variable shift_count constant_overflow space_open"
).split()
