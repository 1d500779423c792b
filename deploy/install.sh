#!/bin/sh
# install.sh TARGET WHEEL: Osler with the server and PostgreSQL in an environment of its own, TARGET.
set -eu
python3 -m venv "$1"
"$1/bin/pip" install --quiet --disable-pip-version-check "$2[web,postgres]"
"$1/bin/osler" --version
