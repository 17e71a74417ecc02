#!/bin/sh
# The image takes the database password from the environment only; here it comes from a file.
set -eu

POSTGRES_PWD="$(cat /run/secrets/temporal/password)"
export POSTGRES_PWD
exec /etc/temporal/entrypoint.sh
