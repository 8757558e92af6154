"""Compares python/tally/abi.py with tally_runtime.h: the argument is a C compiler and its flags.

A program in C tells the sizes and the offsets of the structs and the values of the constants.
"""

import ctypes
import re
import subprocess
import sys
import tempfile

from tally import abi

CONSTANTS = {
    "ABI_VERSION": "TALLY_RT_ABI_VERSION",
    "OK": "TALLY_RT_OK",
    "CHECK_FAILED": "TALLY_RT_CHECK_FAILED",
    "OUT_OF_MEMORY": "TALLY_RT_OUT_OF_MEMORY",
    "INVALID_ARGUMENT": "TALLY_RT_INVALID_ARGUMENT",
    "KIND_INT": "TALLY_RT_INT",
    "KIND_BOOL": "TALLY_RT_BOOL",
    "KIND_FLOAT": "TALLY_RT_FLOAT",
    "CPU": "kDLCPU",
    "INT": "kDLInt",
    "UINT": "kDLUInt",
    "FLOAT": "kDLFloat",
    "BFLOAT": "kDLBfloat",
    "BOOL": "kDLBool",
}
# What MANAGED_TENSOR packs, in order.
TENSOR = (
    "dl_tensor.data dl_tensor.device.device_type dl_tensor.device.device_id dl_tensor.ndim "
    "dl_tensor.dtype.code dl_tensor.dtype.bits dl_tensor.dtype.lanes dl_tensor.shape "
    "dl_tensor.strides dl_tensor.byte_offset manager_ctx deleter"
).split()


def get_c_name(name):
    if name.startswith("DL"):
        return name
    return "tally_rt_" + re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def collect():
    """What to ask in C, and the answers of the package."""
    expected = {c: getattr(abi, python) for python, c in CONSTANTS.items()}
    structs = [s for s in vars(abi).values() if isinstance(s, type(ctypes.Structure))]
    for struct in structs:
        if struct is ctypes.Structure:
            continue
        name = get_c_name(struct.__name__)
        expected[f"sizeof({name})"] = ctypes.sizeof(struct)
        for field, _ in struct._fields_:
            expected[f"offsetof({name}, {field})"] = getattr(struct, field).offset
            expected[f"sizeof((({name} *)0)->{field})"] = getattr(struct, field).size
    expected["sizeof(DLTensor)"] = 8 * abi.TENSOR_WORDS
    expected["sizeof(DLManagedTensor)"] = abi.MANAGED_TENSOR.size
    packed = abi.MANAGED_TENSOR.pack(*range(1, len(TENSOR) + 1))
    for value, field in enumerate(TENSOR, start=1):
        # Little-endian: a small value is its first byte.
        expected[f"offsetof(DLManagedTensor, {field})"] = packed.index(value)
    word = abi.pack_type(3, abi.FLOAT, 32).to_bytes(8, "little")
    for field, value in (("ndim", 3), ("dtype.code", abi.FLOAT), ("dtype.bits", 32)):
        expected[f"offsetof(DLTensor, {field}) - offsetof(DLTensor, ndim)"] = word.index(value)
    return expected


def ask(compiler, questions):
    lines = [f'printf("%lld\\n", (long long)({question}));' for question in questions]
    source = (
        "#include <stddef.h>\n#include <stdio.h>\n#include <tally/Runtime/tally_runtime.h>\n"
        "int main(void) {\n" + "\n".join(lines) + "\nreturn 0;\n}\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        program = folder + "/abi"
        command = [*compiler, "-x", "c", "-", "-o", program]
        subprocess.run(command, input=source, text=True, check=True)
        answers = subprocess.run([program], text=True, check=True, capture_output=True).stdout
    return dict(zip(questions, map(int, answers.split()), strict=True))


expected = collect()
different = 0
for question, answer in ask(sys.argv[1:], list(expected)).items():
    if answer != expected[question]:
        different += 1
        print(f"{question} is {answer} in C and {expected[question]} in tally.abi")
print(f"{len(expected)} facts, {different} differ")
sys.exit(different != 0)
