"""How lit finds and runs Tally's tests."""

import ctypes
import glob
import os
import platform
import shutil
import subprocess

import lit.formats
from lit.llvm import llvm_config

config.name = "Tally"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test", ".py"]
config.excludes = ["Inputs", "lit.cfg.py", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.tally_obj_root, "test")
# What a test keeps for other processes, it keeps in a folder of its own.
config.environment["TALLY_RT_CACHE"] = "off"

tools_dir = os.path.join(config.tally_obj_root, "bin")
plugin = os.path.join(config.tally_obj_root, "lib", "TallyPlugin" + config.shlibext)
config.substitutions += [
    ("%tally_plugin", plugin),
    ("%tally_src", config.tally_src_root),
    ("%tally_obj", config.tally_obj_root),
    ("%cmake", config.cmake),
    ("%cc", config.cc),
    ("%cxx", config.cxx),
    ("%python", config.python),
    ("%mlir_include", config.mlir_include),
]

llvm_config.with_system_environment(
    ["HOME", "TMP", "TEMP", "CCACHE_DIR", "CUDA_HOME", "CUDA_PATH", "VIRTUAL_ENV"]
)
llvm_config.use_default_substitutions()
llvm_config.with_environment("PATH", tools_dir, append_path=True)
llvm_config.with_environment("PATH", config.llvm_tools_dir, append_path=True)
tools = [
    "tally-opt",
    "tally-test-opt",
    "tally-lsp-server",
    "tally-translate",
    "tally-run",
    "tally-compile",
    "tally-fuzz",
    "tally-prove",
    "mlir-opt",
]
search_path = [tools_dir, config.llvm_tools_dir]
llvm_config.add_tool_substitutions(
    [t for t in tools if any(os.path.exists(os.path.join(d, t)) for d in search_path)],
    search_path,
)

config.available_features.add(platform.machine())
for module in ("numpy", "sympy", "torch"):
    found = f"import importlib.util; assert importlib.util.find_spec('{module}')"
    if subprocess.run([config.python, "-c", found], capture_output=True).returncode == 0:
        config.available_features.add(module)
# As lib/Z3/Z3.cpp opens it.
for library in ("libz3.so.4", "libz3.so"):
    try:
        ctypes.CDLL(library)
        config.available_features.add("z3")
        break
    except OSError:
        pass
# What passes log is printed where there are assertions.
tally_opt = os.path.join(tools_dir, "tally-opt")
if os.path.exists(tally_opt) and b"--debug-only" in subprocess.check_output(
    [tally_opt, "--help-hidden"]
):
    config.available_features.add("debug-log")
# Debian's cross compiler and emulator for 64-bit Arm.
cross_tools = ("aarch64-linux-gnu-gcc", "aarch64-linux-gnu-g++", "qemu-aarch64-static")
if all(shutil.which(tool) for tool in cross_tools):
    config.available_features.add("aarch64")
if shutil.which("nvidia-smi"):
    config.available_features.add("cuda")
# As lib/Codegen/NVVM/CudaToolkit.cpp finds them; `./dev test` puts NVIDIA's packages
# for Python into the build folder where there is no toolkit.
packages = os.path.join(config.tally_obj_root, "cuda")
if os.path.isdir(packages) and "CUDA_HOME" not in config.environment:
    config.environment["CUDA_HOME"] = packages
roots = [config.environment.get(name) for name in ("CUDA_HOME", "CUDA_PATH")]
roots += glob.glob(os.path.join(packages, "nvidia", "cu*")) + ["/usr/local/cuda"]
for feature, path in [
    ("ptxas", "bin/ptxas"),
    ("libdevice", "nvvm/libdevice/libdevice.10.bc"),
]:
    if any(root and os.path.exists(os.path.join(root, path)) for root in roots):
        config.available_features.add(feature)
if shutil.which("ptxas"):
    config.available_features.add("ptxas")
if config.tally_sanitizer:
    config.available_features.add("asan")
    config.environment.update([config.tally_sanitizer_environment.split("=", 1)])
