"""The kinds of random programs: how one is made from a seed, judged, and made smaller."""
import dataclasses
import random

import checked
import configurations
import flow_program
import front_end
import generate
import kernel_reduce
import kernels
import mutants
import primitive_program
import primitives
import superstep_reduce
import twins
from judge import Judge


@dataclasses.dataclass
class Case:
    """text: of the program. known: the lines it must print, as far as they are known."""
    text: str
    configurations: list
    known: list = None

    def source(self):
        return twins.newly(self.text)


def used(text):
    """What the second line of a generated program says that it uses."""
    return text.splitlines()[1].removeprefix("// uses: ").split(", ")


class Programs:
    """Programs that are run; each kind makes cases."""

    def __init__(self, compilers, arguments):
        self.arguments = arguments
        self.judging = Judge(compilers, arguments.timeout)
        self.configurations = configurations.known_to(compilers, self.all_configurations, arguments.skip_unknown)

    def judge(self, case):
        return self.judging.judge(case.text, case.configurations, case.known)

    def uses(self, case):
        return used(case.text)

    def sampled(self, seed, count):
        """The first configuration, and so many others, chosen by the seed."""
        first, *others = self.configurations
        return [first, *random.Random(seed).sample(others, min(count or len(others), len(others)))]

    def reduced(self, seed):
        """The text of a small program that is still wrong, to be kept or printed; the whole one if nothing is."""
        case = self.case(seed)
        case.configurations = self.everywhere(seed)
        wrong = self.judge(case)
        return self.smaller(seed, self.judging.still(wrong, case.configurations)) if wrong else case.text

    def everywhere(self, seed):
        return self.configurations


class Supersteps(Programs):
    all_configurations = configurations.SUPERSTEPS

    def case(self, seed):
        return Case(generate.generate(seed), self.configurations)

    def smaller(self, seed, still):
        return twins.newly(superstep_reduce.reduced(generate.generate(seed), still))


class Flows(Programs):
    """Loops and branches around supersteps."""
    all_configurations = [("reference -O0", ["--target", "reference", "-O0"]), *configurations.SUPERSTEPS] # the quickest one first

    def case(self, seed):
        return Case(flow_program.generate(seed), self.sampled(seed, self.arguments.sample))

    def smaller(self, seed, still):
        return twins.newly(flow_program.reduced(seed, still))


class Kernels(Programs):
    all_configurations = configurations.KERNELS

    def case(self, seed):
        return Case(kernels.generate(seed)[0], self.sampled(seed, self.arguments.sample))

    def smaller(self, seed, still):
        return kernel_reduce.reduced(*kernels.generate(seed), still)


class Primitives(Programs):
    all_configurations = configurations.PRIMITIVES

    def program(self, seed):
        return primitives.generate(seed, self.arguments.without.split(","))

    def case(self, seed):
        first, *others = self.configurations
        picked = [others[(seed + i) % len(others)] for i in range(min(self.arguments.targets - 1, len(others)))]
        program = self.program(seed)
        return Case(program.text(), [first, *picked], program.expected())

    def smaller(self, seed, still):
        program = primitive_program.reduced(self.program(seed), lambda p: still(p.text(), p.expected()))
        return program.text() + "".join(f"// OUTPUT: {line}\n" for line in program.expected())


class Numbers(Programs):
    all_configurations = configurations.NUMBERS

    def __init__(self, compilers, arguments):
        super().__init__(compilers, arguments)
        import number_program  # needs NumPy, as nothing else does
        self.made = number_program.Generated

    def configured(self, made, chosen):
        return [(name, [*options, *made.options()]) for name, options in chosen]

    def case(self, seed):
        made = self.made(seed)
        chosen = random.Random(seed).sample(self.configurations, min(self.arguments.sample or 1, len(self.configurations)))
        program = made.program()
        return Case(program.text(), self.configured(made, chosen), program.expected())

    def everywhere(self, seed):
        return self.configured(self.made(seed), self.configurations)

    def smaller(self, seed, still):
        program = self.made(seed).reduced(lambda p: still(p.text(), p.expected()))
        return program.text() + "".join(f"// OUTPUT: {line}\n" for line in program.expected())


@dataclasses.dataclass
class MutantCase:
    mutant: mutants.Mutant
    known: list = None

    def source(self):
        return self.mutant.text


class FrontEnd:
    """Texts that are compiled only."""

    def __init__(self, compilers, arguments):
        self.judging = front_end.FrontEnd(compilers)

    def case(self, seed):
        return MutantCase(mutants.mutant(seed))

    def judge(self, case):
        return self.judging.judge(case.mutant)

    def uses(self, case):
        return [case.mutant.origin.split("/")[0]]

    def reduced(self, seed):
        mutant = mutants.mutant(seed)
        fault = self.judging.judge(mutant)
        text = self.judging.reduced(mutant, fault) if fault else mutant.text
        return text.decode(errors="surrogateescape")


Checked = checked.Checked
