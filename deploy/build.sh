#!/bin/sh
# build.sh FOLDER: the wheel of the sources in this folder, into FOLDER.
set -eu
python3 -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$1" .
