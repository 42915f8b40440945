"""What the programs of test/run and test/examples run with: all of it in `./dev test --all`, a sample of it in `./dev test`.

Every program runs on the reference target in both orders, on the CPU as it comes, and on the emulated GPU; and in one more way, which
its name decides, so that each way has its share of the programs. One of these ways is `--check`: nothing may be told of them.
"""
import zlib

ALWAYS = [
    ("reference", ["--target", "reference", "-O1"]),
    ("reference shuffled", ["--target", "reference", "-O1", "--shuffle", "12345"]),
    ("cpu", ["--target", "cpu"]),
    ("cuda, emulated", ["--target", "cuda"]),
]
WIDTHS = [
    ("1 lane", ["--vector-width", "1"]),
    ("4 lanes of SSE", ["--vector-width", "4", "--cpu", "x86-64-v2"]),
    ("8 lanes of AVX2", ["--vector-width", "8", "--cpu", "x86-64-v3"]),
    ("16 lanes", ["--vector-width", "16"]),
]
# Below -O2 kernels do not become vectors.
OTHERS = [
    ("cpu -O0, 3 threads", ["--target", "cpu", "-O0", "--threads", "3"]),
    ("cpu -O1 -g", ["--target", "cpu", "-O1", "-g"]),
    ("cpu -O2 -g", ["--target", "cpu", "-O2", "-g"]),
    ("cpu --check", ["--target", "cpu", "--check"]),
    *((f"cpu {level}, {name}", ["--target", "cpu", level, *options]) for level in ("-O2", "-O3") for name, options in WIDTHS),
]

# In place of "cpu --check", of which each program has one form.
CHECKS = [
    ("cpu --check", ["--target", "cpu", "--check"]),
    ("cpu --check, of the library too", ["--target", "cpu", "--check=race,bounds,init,arithmetic,library"]),
    ("cpu --check -O2, 4 lanes", ["--target", "cpu", "--check", "-O2", "--vector-width", "4"]),
    ("cpu --check -g, 16 lanes", ["--target", "cpu", "--check", "-g", "--vector-width", "16"]),
]

# What is told of these with --check, they do on purpose.
UNCHECKED = {
    "constant_conditions_are_no_conditions.bsgp": "adds to the maximum of no threads, which overflows",
    "files_that_files_name.bsgp": "reads images: with `library` what C code wrote counts as unwritten",
    "dtempnew_is_freed_with_its_function.bsgp": "measures memory: what is freed waits in a quarantine",
    "dtempnew_of_a_round_is_freed_when_it_ends.bsgp": "measures memory: what is freed waits in a quarantine",
    "generic_structs_in_lists_over_a_loop_of_spawns.bsgp": "changes what an empty struct has at 0, which is any number",
    "get_from_no_rank_is_harmless.bsgp": "uses what it gets of no rank",
    "thread_count_grows_and_shrinks.bsgp": "copies an array that no thread has written, since there are none",
    "warp_shuffles_at_every_block_size.bsgp": "uses what it gets of threads that a warp does not have",
}


def others_of(program):
    number = zlib.crc32(program.encode())
    return [other if "--check" not in other[1] else CHECKS[number // 64 % len(CHECKS)]
            for other in OTHERS if program not in UNCHECKED or "--check" not in other[1]]


def configurations(program, extent="sample"):
    """(name, options of 'bsgpc run') of each. extent: sample, rest (what the sample leaves out), or all."""
    others = others_of(program)
    chosen = others[zlib.crc32(program.encode()) % len(others)]
    if extent == "rest":
        return [other for other in others if other != chosen]
    return ALWAYS + (others if extent == "all" else [chosen])
