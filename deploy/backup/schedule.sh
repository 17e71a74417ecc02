#!/bin/sh
# Writes the list of erasures each minute, and makes a backup whenever the newest is older than BACKUP_EVERY_HOURS. A
# backup that fails is tried again after 5 minutes.
set -eu

scripts=$(dirname "$0")
minute=0
while true; do
  sh "$scripts/erasures.sh" || echo 'the list of erasures could not be written' >&2
  if [ $((minute % 5)) -eq 0 ] && ! sh "$scripts/check.sh" 0 2>/dev/null; then
    sh "$scripts/backup.sh" || echo 'the backup failed' >&2
  fi
  minute=$((minute + 1))
  sleep 60
done
