"""Files with changes at random, for the readers of text: mutants.py KIND COUNT FOLDER COMMAND...

COMMAND KIND FILE... reads them, under limits of memory and time; the kinds of ALONE are programs of their own: COMMAND FILE. It ends with
a status that is expected. Each mutant has a seed: mutants.py KIND COUNT@SEED ... begins there. What fails is kept in FOLDER. With KIND
"large": one file of each kind that is made to take long."""
import os
import random
import resource
import subprocess
import sys

KIND, COUNT, FOLDER, COMMAND = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
MEMORY, SECONDS, BATCH = 1 << 30, 60, 100
ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "../../.."))

MESH = b"""# a mesh
mtllib m.mtl .\\cube.mtl two words.mtl
o thing
v 0 0 0
v 1 0 0 1.0
v 0 1 0 \\
v 1 1 -0.5e1
vt 0.25
vt 0.5 0.75 1
vn 0 0 1
usemtl red wine
f 1/1/1 2/2/1 3//1
f 1/1/ 2/2/ 3//
f -4 -3 -2 -1
usemtl blue
f 1 2 \\
 3 4
s off
"""
MATERIALS = b"newmtl red wine\r\nKa 0.1\nKd 1 0 0 # comment\nKs 0.5 0.25 1\nTf 0 1 0\nNs 90\nNi 1.33\nd -halo 0.25\nTr 0.5\nillum 5\nmap_Kd a b.png\nnewmtl blue\n"
NUMBERS = b"1 -2.5 +3e4 .5 5. 1e-320 179769313486231570000000000000 0.1 123456789012345678901234567890e-10 nan inf 0x1p3 1e 1e+ - . 9007199254740993\n"
SEEDS = {
    "obj": [MESH, MESH, b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"],
    "mtl": [MATERIALS],
    "text": [MESH, NUMBERS, b"one\r\ntwo \x00 three\n\n"],
    "numbers": [NUMBERS],
    "edges": [b"# a graph\n0 1\n1 2\n\n2 0\n3 4\n"],
    "args": [b"-n 3 --size=2.5 --at 1,2,3 -o a.png -v FILE 7 -- -x\n"],
    "x3d": [open(os.path.join(ROOT, "examples/x3d/scene.x3d"), "rb").read()],
}
SEEDS["examples/numbers"] = SEEDS["numbers"] + [MESH]
SEEDS["examples/word_count"] = SEEDS["text"]
ALONE = {"x3d": (0, 1), "examples/numbers": (0,), "examples/word_count": (0,)}
WORDS = [b"\\", b"/", b"//", b"1/", b"\r", b"\n", b"\r\n", b"\x00", b"\f", b"\v", b" ", b"\t", b"#", b"-", b"nan", b"inf", b"1e999", b"0x", b"nan(", b"9" * 40,
         b"0." + b"0" * 400 + b"1", b".mtl", b"\\\n", b"\\\r\n", b"../", b"/dev/zero", b"mtllib ", b"usemtl ", b"f ", b"v ", b"\xff\xfe", b"\xfe\xff", b"=", b"--",
         b",", b"<", b">", b"&", b"'", b"\"", b"<!--", b"-->", b"<![CDATA[", b"USE='", b"DEF='", b"url='scene.x3d'"]


def mutant(seed):
    numbers = random.Random(f"{KIND} {seed}")
    data = bytearray(numbers.choice(SEEDS[KIND]))
    if KIND != "x3d" and numbers.random() < 0.1:
        data = bytearray(numbers.choice([b"\xff\xfe", b"\xfe\xff", b""]) + data.decode("latin-1").encode(numbers.choice(["utf-16-le", "utf-16-be", "utf-32"])))
    for _ in range(numbers.choice([1, 1, 2, 3, 5, 9])):
        at, end = sorted((numbers.randrange(len(data) + 1), numbers.randrange(len(data) + 1)))
        end = min(end, at + numbers.choice([1, 3, 10, 100]))
        kind = numbers.randrange(6)
        if kind == 0 and at < len(data):
            data[at] ^= 1 << numbers.randrange(8)
        elif kind == 1:
            del data[at:end]
        elif kind == 2:
            data[at:at] = data[at:end] * numbers.choice([1, 2, 20])
        elif kind == 3:
            data[at:end] = numbers.choice(WORDS)
        elif kind == 4:
            data[at:at] = numbers.choice(WORDS) * numbers.choice([1, 1, 2, 7])
        else:
            del data[max(at, len(data) // 2):]
    return bytes(data)


def large():
    """What would take for ever where the time of each piece grows with the file."""
    lines = lambda n, of: "".join(of(i) for i in range(n)).encode()
    corner = b"v 0 0 0\n"
    yield "obj", corner + lines(150000, lambda i: f"usemtl a{i * 7919 % 150001}\nf 1 1 1\n")
    yield "obj", b"mtllib " + lines(200000, lambda i: f"m{i} ") + b"\n" + corner
    yield "obj", b"mtllib large.mtl" + lines(2000, lambda i: " ./" + "./" * (i % 50) + "large.mtl") + b"\n" + corner
    yield "obj", corner + b"f " + b"1/ " * 300000 + b"\n"
    yield "obj", corner + b"f 1/9/9 " * 1 + b"1//8 " * 300000 + b"\n" + b"f 1/\n" * 100000
    yield "obj", b"v nan(" + b"a" * 1000000 + b" 0 0\n"
    yield "obj", b"\\\n" * 500000
    yield "obj", b"v 0 0 " + b"1" * 1000000 + b"\n"
    yield "mtl", lines(100000, lambda i: f"newmtl a{i}\nKd 1 0 0\n")
    yield "text", b"1" * 300000 + b"\n" + b"a " * 300000
    yield "numbers", b"1" * 300000 + b" " + b"0." + b"0" * 300000 + b"1 " + b"2 " * 100000
    yield "edges", b"0 1073741823\n"
    yield "edges", b"0 1\n" * 200000
    yield "args", b"a=b -n 3 " * 2000


def run(arguments):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    done = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, errors="replace", preexec_fn=limit)
    return done.returncode, done.stdout.split("\n")[:-1], done.stderr


def save(name, data):
    path = os.path.join(FOLDER, name)
    with open(path, "wb") as file:
        file.write(data)
    return path


def failures(paths):
    """Of those that are read together, the ones that end the program or say nothing."""
    if KIND in ALONE:
        results = [(path, *run([path])) for path in paths]
        return [(path, status, said[:1] + [errors]) for path, status, said, errors in results if status not in ALONE[KIND]]
    status, said, errors = run([KIND, *paths])
    if status == 0 and len(said) == len(paths):
        return []
    rest = paths[len(said) + 1:]
    return [(paths[len(said)], status, errors)] + (failures(rest) if rest else [])


def main():
    global KIND
    os.makedirs(FOLDER, exist_ok=True)
    save("m.mtl", MATERIALS)
    wrong = []
    if KIND == "large":
        save("large.mtl", b"".join(b"newmtl a%d\nKd 1 0 0\n" % i for i in range(20000)))
        for i, (KIND, data) in enumerate(large()):
            wrong += failures([save(f"large_{i}.{KIND}", data)])
        total = i + 1
    else:
        count, _, first = COUNT.partition("@")
        seeds = range(int(first or 1), int(first or 1) + int(count))
        paths = [save(f"{os.path.basename(KIND)}_{seed}", mutant(seed)) for seed in seeds]
        for i in range(0, len(paths), BATCH):
            wrong += failures(paths[i:i + BATCH])
        for path in set(paths) - {path for path, _, _ in wrong}:
            os.remove(path)
        total = len(paths)
    for path, status, errors in wrong:
        print(f"{path}: status {status}, {str(errors).strip()[-300:]}")
    print(f"{len(wrong)} wrong of {total}")


main()
