#!/bin/sh
# Whether the backups are healthy: the newest is at most two hours late, and the list of erasures was written in the last
# 10 minutes.
set -eu

sh "$(dirname "$0")/young.sh" 2
written=$(find "$BACKUP_FOLDER" -mindepth 1 -maxdepth 1 -type f -name erasures -mmin -10)
[ -n "$written" ] || {
  echo 'the list of erasures was not written in the last 10 minutes' >&2
  exit 1
}
