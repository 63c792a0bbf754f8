#!/usr/bin/env bash
# Makes .venv from requirements.lock and installs leasehold and its applications into it, editable.
# Uses uv where there is one, else the standard library's venv and pip.
# PYTHON=/path/to/python chooses the interpreter.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# A version manager's shim may be on PATH and still refuse to run, so each candidate is run.
is_suitable() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

find_python() {
    local candidate
    for candidate in ${PYTHON:+"$PYTHON"} python3.13 python3.12 python3.11 python3; do
        if is_suitable "$candidate"; then
            echo "$candidate"
            return
        fi
        if [ "$candidate" = "${PYTHON:-}" ]; then
            echo "PYTHON=$PYTHON does not run or is older than Python 3.11." >&2
            return 1
        fi
    done
    echo "leasehold needs Python 3.11 or newer, and found none that runs." >&2
    echo "Install one, or name it: make PYTHON=/path/to/python3.11" >&2
    return 1
}

make_environment() {
    local python=$1
    echo "Making .venv with $("$python" --version) ($(command -v "$python"))"
    rm -rf .venv
    if command -v uv >/dev/null; then
        uv venv --quiet --python "$("$python" -c 'import sys; print(sys.executable)')" .venv
    elif "$python" -c 'import ensurepip' 2>/dev/null; then
        "$python" -m venv .venv
    else
        echo "$python has no ensurepip: install your system's python3-venv package, or uv." >&2
        return 1
    fi
}

install() {
    if command -v uv >/dev/null; then
        uv pip install --quiet --python .venv/bin/python "$@"
    else
        .venv/bin/python -m pip install --quiet --disable-pip-version-check "$@"
    fi
}

# An environment made by uv has no pip in it: without uv it is made anew.
is_usable() {
    is_suitable .venv/bin/python && { command -v uv >/dev/null || .venv/bin/python -c 'import pip'; } \
        2>/dev/null
}

if ! is_usable; then
    python=$(find_python)
    make_environment "$python"
fi
install --require-hashes -r requirements.lock
install --no-deps --no-build-isolation --editable .
for application in apps/*/; do
    install --no-deps --no-build-isolation --editable "$application"
done
touch .venv/.ready
