#!/bin/sh
# Makes a backup whenever the newest is older than BACKUP_EVERY_HOURS. A backup that fails is tried again after 5 minutes.
set -eu

scripts=$(dirname "$0")
while true; do
  if ! sh "$scripts/check.sh" 0 2>/dev/null; then
    sh "$scripts/backup.sh" || echo 'the backup failed' >&2
  fi
  sleep 300
done
