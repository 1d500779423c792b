#!/bin/sh
# Run a command of Osler as the service's user, with its store and files for its owner alone.
umask 077
cd /var/lib/osler || exit 1
exec runuser -u osler -- env OSLER_STORE=/var/lib/osler/osler.db /opt/osler/current/bin/osler "$@"
