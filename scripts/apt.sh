# Shared by the scripts that install system packages; to be sourced.
log=${TMPDIR:-/tmp}/gpbench-setup-$(id -u).log

say() { printf 'setup: %s\n' "$*" >&2; }

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then sudo -n "$@"
  else return 1
  fi
}

apt_install() {  # package names; waits for another apt to finish, refreshes the package lists only when it must
  command -v apt-get >/dev/null 2>&1 || return 1
  local get="env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300" try
  as_root $get install -y "$@" >"$log" 2>&1 && return 0
  for try in 1 2 3; do
    as_root $get update >>"$log" 2>&1 && as_root $get install -y "$@" >>"$log" 2>&1 && return 0
    as_root true || return 1  # no rights: trying again cannot help
    sleep 10
  done
  return 1
}
