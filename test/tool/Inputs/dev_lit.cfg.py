# The file tests of dev_test.test: their suite is named after how much of it is asked for.
import os

import lit.formats

config.name = f"sandbox ({lit_config.params['extent']})"
config.suffixes = [".test"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(os.environ["BSGP_BUILD_DIR"], "test")
config.test_format = lit.formats.ShTest(True)
