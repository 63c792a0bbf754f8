#!/usr/bin/env bash
# Writes requirements.lock: core, extras and dev, hashed, for every platform, naming no package index.
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

"$uv" pip compile pyproject.toml --all-extras --group dev --universal --python-version 3.11 \
    --generate-hashes --no-strip-extras --no-emit-index-url --no-header --quiet \
    --output-file requirements.lock "$@"
