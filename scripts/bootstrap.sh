# Sourced by the scripts beside it: makes `.venv` hold this project and pinned, hashed packages.
# shellcheck shell=bash
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

python_311() {
  local candidate
  for candidate in "${PYTHON:-}" python3.13 python3.12 python3.11 python3.14 python3; do
    if [ -n "$candidate" ] && "$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      echo "$candidate"
      return
    fi
  done
  echo "scripts: Python 3.11 or later with venv is needed (Debian: apt-get install python3-venv)" >&2
  return 2
}

# bootstrap NAME...: the requirement files of .github/requirements that must be installed.
bootstrap() {
  local stamp have name python
  stamp=$(cat "$root/pyproject.toml" "${@/#/$root/.github/requirements/}" | cksum)
  have=$(cat "$venv/.judge-contract-stamp" 2>/dev/null || true)
  if [ "$stamp" = "$have" ] && [ -x "$venv/bin/judge-contract" ]; then
    return
  fi
  python=$(python_311)
  echo "scripts: setting up ${venv#"$root"/} once (about a minute)" >&2
  rm -rf "$venv"
  "$python" -m venv "$venv"
  for name in build.txt "$@"; do
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes \
      --requirement "$root/.github/requirements/$name" >&2
  done
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps \
    --no-build-isolation --editable "$root" >&2
  echo "$stamp" >"$venv/.judge-contract-stamp"
}
