#!/usr/bin/env bash
# Packs the built tools, for a machine that has no MLIR, into DIR: tally-tools.tar.xz, and
# the libraries they need, tally-libraries.tar.xz, which takes some minutes and is kept
# while they stay the same. unpack.sh, which is copied beside them, makes them run there;
# that machine needs libstdc++, and a glibc that is no older than here.
#
#   pack.sh DIR [BUILD]        BUILD: the build tree, by default build/
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ $# -ge 1 ] || { sed -n '2,7s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 1; }
mkdir -p "$1"
target=$(cd "$1" && pwd)
build=$(cd "${2:-$here/../../build}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

TOOLS=(tally-compile tally-run tally-opt tally-translate)
# In every Linux, and newer there than here.
BASE='^(linux-vdso|ld-linux-x86-64|libc|libm|libdl|libpthread|librt|libstdc\+\+|libgcc_s)\.so'
# libLLVM needs them for what no tool does: to parse Windows manifests, to ask Z3 in
# process. With what they need in turn they are a quarter of all; libraries that do
# nothing stand in for them.
EMPTY='^(libxml2|libz3)\.so'

# Finds the libraries of a file, without those that only an empty one needs, as
# paths by name.
declare -A libraries=()
find_libraries() {
  local name path
  for name in $(LC_ALL=C readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
    [ -z "${libraries[$name]:-}" ] && ! [[ $name =~ $BASE ]] || continue
    path=$(awk -v name="$name" '$1 == name { print $3 }' <<<"$loaded")
    [ -e "$path" ] || { echo "pack.sh: $name is not found" >&2; exit 1; }
    libraries[$name]=$path
    [[ $name =~ $EMPTY ]] || find_libraries "$path"
  done
}

# Makes a library NAME that has what libLLVM wants of the one at PATH, with the same
# versions of symbols; a call is an illegal instruction.
make_empty() {
  local name=$1 path=$2 script=()
  comm -12 \
    <(nm -D --undefined-only --without-symbol-versions "$work/lib/libLLVM.so.22.1" | awk '{ print $2 }' | sort -u) \
    <(nm -D --defined-only --without-symbol-versions "$path" | awk '{ print $3 }' | sort -u) >"$work/wanted"
  sed 's/.*/.globl &\n&: ud2/' "$work/wanted" >"$work/empty.s"
  nm -D --defined-only --with-symbol-versions "$path" | awk '{ print $3 }' |
    awk -F'@+' 'FNR == NR { wanted[$1]; next } $1 in wanted && $2 { names[$2] = names[$2] " " $1 ";" }
                END { for (version in names) print version " {" names[version] " };" }' \
      "$work/wanted" - >"$work/versions"
  [ ! -s "$work/versions" ] || script=("-Wl,--version-script=$work/versions")
  cc -shared -nostdlib -x assembler "$work/empty.s" -Wl,-soname,"$name" "${script[@]}" -o "$work/lib/$name"
}

# pack NAME FOLDER...
pack() {
  local name=$1
  tar -C "$work" --owner=0 --group=0 --mtime=@0 --sort=name -cf - "${@:2}" |
    xz -T1 --x86 --lzma2=preset=9,dict=256MiB >"$target/$name.part"
  mv "$target/$name.part" "$target/$name"
}

pack_libraries() {
  local name
  mkdir "$work/lib" "$work/runtime"
  for name in "${!libraries[@]}"; do
    if [[ ! $name =~ $EMPTY ]]; then
      strip --strip-unneeded -o "$work/lib/$name" "$(realpath "${libraries[$name]}")"
    fi
  done
  for name in "${!libraries[@]}"; do
    [[ ! $name =~ $EMPTY ]] || make_empty "$name" "${libraries[$name]}"
  done
  # What compiled programs need is apart from what only the tools may see.
  mv "$work/lib"/libtbb.so.* "$work/runtime/"
  ln -s "$(ls "$work/runtime")" "$work/runtime/libtbb.so"
  pack tally-libraries.tar.xz lib runtime
}

mkdir -p "$work/tools" "$work/archive"
for tool in "${TOOLS[@]}"; do
  strip -o "$work/tools/$tool" "$build/bin/$tool"
  loaded=$(ldd "$build/bin/$tool")
  find_libraries "$build/bin/$tool"
done
cp "$build/lib/libtally_runtime.a" "$work/archive/"
pack tally-tools.tar.xz tools archive

# The list tells whether the libraries are those that were packed.
for name in "${!libraries[@]}"; do
  stat -L -c "$name %s %Y" "${libraries[$name]}"
done | sort >"$work/libraries.txt"
cat "${BASH_SOURCE[0]}" >>"$work/libraries.txt"
if ! cmp -s "$work/libraries.txt" "$target/libraries.txt" || [ ! -e "$target/tally-libraries.tar.xz" ]; then
  pack_libraries
  cp "$work/libraries.txt" "$target/"
fi
cp "$here/unpack.sh" "$target/"
(cd "$target" && du -bc ./*.tar.xz)
