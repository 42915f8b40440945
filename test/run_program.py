"""The lit format of test/run and test/examples: one program, every target (configurations.py)."""
import os
import subprocess
import time

import lit.formats
import lit.Test

from configurations import configurations
from program import Program, complaint


class RunProgram(lit.formats.FileBasedTest):
    def execute(self, test, lit_config):
        # lit's own --max-time bounds how long it waits for one test, not how long all take.
        if time.time() > float(lit_config.params.get("deadline", "inf")):
            return lit.Test.SKIPPED, "the time of this run is over"
        path = test.getSourcePath()
        root = os.path.abspath(os.path.join(test.config.test_source_root, ".."))
        program = Program(path)
        tool = os.path.join(os.path.dirname(os.path.abspath(test.config.test_exec_root)), "bin", "bsgpc")
        log = []
        emulator = os.path.join(os.path.dirname(os.path.dirname(tool)), "lib", "cuda_emulator", "libcuda.so.1")
        environment = dict(test.config.environment, BSGP_CUDA_DRIVER=emulator)  # for target cuda
        # "cpu" as it comes runs kernels with two forms in both, block by block: each is to give the same.
        mixed = dict(environment, BSGP_FORM="mixed")
        for name, options in configurations(os.path.basename(path), lit_config.params.get("extent", "sample")):
            command = [tool, "run", program.source, *options] + (["--", *program.arguments] if program.arguments else [])
            try:
                done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=240, env=mixed if name == "cpu" else environment,
                                      cwd=root)
            except subprocess.TimeoutExpired:
                return lit.Test.FAIL, f"{name}: still running after 240 s: {' '.join(command)}"
            text = f"{name}: {' '.join(command)}\nexit status {done.returncode}\n{done.stdout[-4000:]}{done.stderr[-4000:]}"
            wrong = complaint(done.returncode, done.stdout, program.output, program.contains)
            if wrong:
                return lit.Test.FAIL, text + "\n" + wrong
            log.append(text)
        return lit.Test.PASS, "\n".join(log)
