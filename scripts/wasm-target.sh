#!/usr/bin/env bash
# Make `cargo build --target wasm32-unknown-unknown` work on a stable compiler, once.
#   installed  the target's std is there already: nothing to do
#   rustup     rustup can fetch it: `rustup target add`
#   debian     Debian's rustc-web, and a std built once from its rust-web-src
# RUNWIRE_WASM_TOOLCHAIN forces one of the three; by default they are tried in this order.
# The last line printed is `toolchain=default` or `toolchain=debian`: with the latter, builds
# use /usr/bin/rustc (scripts/lib/env.mjs puts it first in PATH).
set -euo pipefail
target=wasm32-unknown-unknown
want=${RUNWIRE_WASM_TOOLCHAIN:-auto}
lld=lld-22
packages=(rustc-web cargo-web rust-web-src rust-web-clippy rustfmt-web "$lld")

has_std() { # has_std RUSTC
  local dir
  dir=$("$1" --print target-libdir --target "$target" 2>/dev/null) || return 1
  # What was built here for a compiler since upgraded is of no use: artefacts differ between versions.
  [ ! -e "$dir/built-by" ] || [ "$(cat "$dir/built-by")" = "$("$1" --version)" ] || return 1
  compgen -G "$dir/libtest-*.rlib" >/dev/null && compgen -G "$dir/libstd-*.rlib" >/dev/null
}
done_with() { # done_with TOOLCHAIN MESSAGE
  echo "$target: $2"
  echo "toolchain=$1"
  exit 0
}
as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi; }

case $want in
  auto | installed | rustup | debian) ;;
  *) echo "RUNWIRE_WASM_TOOLCHAIN is '$want': use installed, rustup or debian" >&2; exit 2 ;;
esac

if [ "$want" = auto ] || [ "$want" = installed ]; then
  if command -v rustc >/dev/null && has_std rustc; then done_with default "std present"; fi
fi
if [ "$want" = auto ] || [ "$want" = rustup ]; then
  if command -v rustup >/dev/null && rustup target add "$target" >/dev/null 2>&1 && has_std rustc; then
    done_with default "added by rustup"
  fi
fi
if [ "$want" = installed ] || [ "$want" = rustup ]; then
  echo "missing: the $target standard library — rustup target add $target" >&2
  exit 1
fi

missing=()
if command -v dpkg-query >/dev/null; then
  for p in "${packages[@]}"; do
    dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing+=("$p")
  done
else
  missing=("${packages[@]}")
fi
if [ ${#missing[@]} -gt 0 ]; then
  if ! command -v apt-get >/dev/null; then
    echo "missing: Rust with the $target target — install rustup (https://rustup.rs), then: rustup target add $target" >&2
    exit 1
  fi
  if [ "$(id -u)" != 0 ] && ! sudo -n true 2>/dev/null; then
    echo "missing: Debian packages — sudo apt-get install ${missing[*]}" >&2
    exit 1
  fi
  echo "installing ${missing[*]} (about a minute)"
  # In a session and with a log of its own, so that stopping this script does not kill dpkg half-way: it
  # goes on alone, and the next run waits for its lock, as for that of a fresh machine updating itself.
  log=$(mktemp)
  apt() {
    as_root setsid --wait env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 "$@" >"$log" 2>&1 \
      || { cat "$log" >&2; exit 1; }
  }
  apt update
  apt -y install --no-install-recommends "${missing[@]}"
  rm "$log"
fi

rustc=/usr/bin/rustc cargo=/usr/bin/cargo
if has_std "$rustc"; then done_with debian "std present in $rustc"; fi

echo "building the $target standard library once (one to two minutes)"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/src" "$work/bin"
# The target's linker is called `rust-lld`: Debian's lld acts as it under that name.
ln -s "/usr/bin/$lld" "$work/bin/rust-lld"
printf '[package]\nname="std-for-wasm"\nversion="0.0.0"\nedition="2021"\n[workspace]\n[lib]\n' >"$work/Cargo.toml"
echo '#![no_std]' >"$work/src/lib.rs"
# The flags are those of the shipped std: full optimisation, one unit each, bitcode for LTO.
# `test` is in the list because `cargo test` for the target links it.
(cd "$work" && env -u RUSTFLAGS -u CARGO_ENCODED_RUSTFLAGS -u RUSTC_WRAPPER -u CARGO_BUILD_TARGET -u RUSTUP_TOOLCHAIN \
  PATH="$work/bin:/usr/bin:$PATH" RUSTC="$rustc" RUSTC_BOOTSTRAP=1 CARGO_TARGET_DIR="$work/out" \
  CARGO_PROFILE_RELEASE_OPT_LEVEL=3 CARGO_PROFILE_RELEASE_CODEGEN_UNITS=1 \
  CARGO_PROFILE_RELEASE_DEBUG=false CARGO_PROFILE_RELEASE_PANIC=unwind \
  RUSTFLAGS="-Cembed-bitcode=yes" \
  "$cargo" build --quiet --release --target "$target" \
  -Zbuild-std=std,panic_abort,panic_unwind,proc_macro,test)

lib=$("$rustc" --print target-libdir --target "$target")
as_root mkdir -p "$lib"
as_root rm -f "$lib"/lib*.rlib
"$rustc" --version | as_root tee "$lib/built-by" >/dev/null
# libtest goes last: has_std looks for it, so an interrupted copy is seen as absent.
for f in "$work/out/$target/release/deps"/lib*.rlib; do
  case $f in */libstd_for_wasm-* | */libtest-*) ;; *) as_root install -m 644 "$f" "$lib/" ;; esac
done
as_root install -m 644 "$work/out/$target/release/deps"/libtest-*.rlib "$lib/"
has_std "$rustc" || { echo "the built std was not found in $lib" >&2; exit 1; }
done_with debian "std built from source into $lib"
