#!/bin/sh
# serve.sh [OPTION...]: serve to others behind a proxy that speaks TLS. OSLER_UNTIL is the last day on which links
# work, OSLER_HOST_NAME the name by which browsers call the server; further options go to `osler serve`.
set -eu
: "${OSLER_UNTIL:?set OSLER_UNTIL to the last day on which links work, as 2027-07-31}"
: "${OSLER_HOST_NAME:?set OSLER_HOST_NAME to the name by which browsers call the server}"
exec osler serve --share --until "$OSLER_UNTIL" --host-name "$OSLER_HOST_NAME" \
  --host "${OSLER_LISTEN:-127.0.0.1}" --port "${OSLER_PORT:-8321}" "$@"
