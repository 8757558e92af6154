"""Prints a program that returns its argument, of the type given."""

import sys

print("func.func @main(%%x: tensor<%s>) -> tensor<%s> { return %%x : tensor<%s> }" % ((sys.argv[1],) * 3))
