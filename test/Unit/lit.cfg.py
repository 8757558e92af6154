"""Lets lit run the gtest binaries beside the .mlir tests."""

import os

import lit.formats

config.name = "Tally-Unit"
config.suffixes = []
config.test_source_root = os.path.join(config.tally_obj_root, "test", "Unit")
config.test_exec_root = config.test_source_root
config.test_format = lit.formats.GoogleTest(".", "Tests")
# What a test keeps for other processes, it keeps in a folder of its own.
config.environment["TALLY_RT_CACHE"] = "off"
if config.tally_sanitizer_environment:
    config.environment.update([config.tally_sanitizer_environment.split("=", 1)])
    # Sanitizers are slow: a tenth of the random expressions.
    config.environment.setdefault("TALLY_FUZZ_EXPRESSIONS", "100000")
