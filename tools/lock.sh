#!/usr/bin/env bash
# Writes requirements.lock: core, extras, dev and what the applications need, hashed, for every platform, naming no package index.
# And requirements-plots.lock: what `make bench-plots` installs on top, and no test needs.
# Arguments go to uv: --upgrade takes newer versions, --upgrade-package NAME only one.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

uv=uv
if ! command -v uv >/dev/null; then
    uv=.venv-tools/bin/uv
    if ! [ -x "$uv" ]; then
        "${PYTHON:-python3}" -m venv .venv-tools
        .venv-tools/bin/python -m pip install --quiet --disable-pip-version-check uv
    fi
fi

compile() {
    "$uv" pip compile --universal --python-version 3.11 \
        --generate-hashes --no-strip-extras --no-emit-index-url --no-header --quiet "$@"
}

# What the applications need beside leasehold itself, which no index has to know.
applications() {
    "${PYTHON:-python3}" - apps/*/pyproject.toml <<'END'
import sys, tomllib
for path in sys.argv[1:]:
    with open(path, "rb") as file:
        needed = tomllib.load(file)["project"]["dependencies"]
    print(*(each for each in needed if not each.startswith("leasehold")), sep="\n")
END
}

applications | compile pyproject.toml - --all-extras --group dev --output-file requirements.lock "$@"
# Constrained: it is installed into the same environment and must not change what stands there.
echo 'matplotlib>=3.10' | compile - --constraint requirements.lock --no-annotate \
    --output-file requirements-plots.lock "$@"
