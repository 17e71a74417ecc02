#!/bin/sh
# Whether the newest backup is younger than BACKUP_EVERY_HOURS and the given number of hours more.
set -eu

minutes=$(((${BACKUP_EVERY_HOURS:-24} + $1) * 60))
young=$(find "${BACKUP_FOLDER:?}/base" -mindepth 1 -maxdepth 1 -type d -name '*Z' -mmin "-$minutes")
[ -n "$young" ] || {
  echo "no backup of the last $minutes minutes" >&2
  exit 1
}
