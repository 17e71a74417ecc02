#!/bin/sh
# Puts a backup into the folder PGDATA: `npm run restore [time]`. With a time such as 2026-01-31T10:00:00Z the database
# is as it was then, without one as the last archived change left it. The server of PGDATA must be stopped. What PGDATA
# holds is kept beside it.
set -eu
export LC_ALL=C

fail() {
  echo "$1" >&2
  exit 1
}

folder=${BACKUP_FOLDER:?BACKUP_FOLDER: name the folder of the backups}
data=${PGDATA:?PGDATA: name the data folder of the server}
time=${1:-}
case $time in
'' | [0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z) ;;
*) fail "the time must be like 2026-01-31T10:00:00Z, not $time" ;;
esac
[ ! -e "$data/postmaster.pid" ] || fail "a server uses $data: stop it first (after a crash, remove postmaster.pid)"

# The newest backup that was complete at that time.
chosen=
for one in "$folder"/base/*Z; do
  [ -e "$one/ended-at" ] || continue
  if [ -z "$time" ] || ! expr "x$(cat "$one/ended-at")" \> "x$time" >/dev/null; then chosen=$one; fi
done
[ -n "$chosen" ] || fail "$folder/base has no complete backup${time:+ of $time or before}"

# Made beside PGDATA and renamed when it is complete and verified.
umask 077
rm -rf "$data.new"
mkdir -p "$data.new/pg_wal"
tar -xzf "$chosen/base.tar.gz" -C "$data.new"
tar -xzf "$chosen/pg_wal.tar.gz" -C "$data.new/pg_wal"
cp "$chosen/backup_manifest" "$data.new/backup_manifest"
pg_verifybackup --no-parse-wal --quiet "$data.new"

{
  echo "restore_command = 'test -e \"$folder/wal/%f.gz\" && gzip -dc \"$folder/wal/%f.gz\" >\"%p\"'"
  echo "recovery_target_timeline = '${RESTORE_TIMELINE:-latest}'"
  # PostgreSQL knows no zone by its letter here.
  echo "recovery_target_time = '${time:+${time%Z}+00}'"
  echo "recovery_target_action = 'promote'"
} >>"$data.new/postgresql.auto.conf"
: >"$data.new/recovery.signal"

if [ -e "$data" ] && [ -n "$(ls -A "$data")" ]; then
  kept=$data.before-$(date -u +%Y%m%dT%H%M%SZ)
  mv "$data" "$kept"
  echo "kept the old data in $kept"
elif [ -e "$data" ]; then
  rmdir "$data"
fi
mv "$data.new" "$data"
echo "restored $(basename "$chosen"): start the server, which then reads the log${time:+ up to $time}"
