# Builds for 64-bit Arm with Debian's cross compiler (g++-aarch64-linux-gnu); what is built runs
# under qemu-user-static. Tally's runtime alone is built so:
#
#   cmake -S . -B build-aarch64 --toolchain cmake/toolchains/aarch64-linux-gnu.cmake \
#     -D TALLY_RUNTIME_ONLY=ON -D TALLY_RUNTIME_TBB=OFF
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
