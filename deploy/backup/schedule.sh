#!/bin/sh
# Writes the list of erasures each minute, also during a backup, and makes a backup whenever the newest is older than
# BACKUP_EVERY_HOURS. A backup that fails is tried again after 5 minutes.
set -eu

scripts=$(dirname "$0")
minute=0
backup=''
trap 'test -z "$backup" || kill "$backup" 2>/dev/null' EXIT
trap 'exit 143' TERM INT
while true; do
  sh "$scripts/erasures.sh" || echo 'the list of erasures could not be written' >&2
  if [ -n "$backup" ] && ! kill -0 "$backup" 2>/dev/null; then
    wait "$backup" || echo 'the backup failed' >&2
    backup=''
  fi
  if [ -z "$backup" ] && [ $((minute % 5)) -eq 0 ] && ! sh "$scripts/young.sh" 0 2>/dev/null; then
    sh "$scripts/backup.sh" &
    backup=$!
  fi
  minute=$((minute + 1))
  sleep 60 &
  wait $!
done
