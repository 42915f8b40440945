# The file tests of dev_test.test: their suite is named after how much of it is asked for.
import lit.formats

config.name = f"sandbox ({lit_config.params['extent']})"
config.suffixes = [".test"]
config.test_format = lit.formats.ShTest(True)
