#!/bin/sh
# Makes one base backup in BACKUP_FOLDER/base, and deletes what is older than BACKUP_KEEP_DAYS: `npm run backup`.
# Connects as the variables of libpq say (PGHOST, PGPORT, PGUSER, PGPASSFILE), with a role that may replicate, and then to
# the database PGDATABASE (paywall without one) to record the backup.
set -eu

folder=${BACKUP_FOLDER:?BACKUP_FOLDER: name the folder of the backups}
keep_days=${BACKUP_KEEP_DAYS:-14}
umask 077
mkdir -p "$folder/base" "$folder/wal"

# The lock ends with the process. Without it two backups could delete each other's unfinished folder.
exec 9>"$folder/.lock"
if command -v flock >/dev/null && ! flock -n 9; then
  echo 'another backup runs' >&2
  exit 1
fi
rm -rf "$folder"/base/*.part

# The metrics show the age of the newest row, and an alert fires after a day without a backup. The first row is written
# before the first backup, so the alert also fires if no backup ever succeeds. It needs a role that may add rows.
record() {
  PGDATABASE=${PGDATABASE:-paywall} psql --no-psqlrc --no-password --quiet --set ON_ERROR_STOP=1 \
    --command "INSERT INTO base_backups (name) VALUES ('$1') ON CONFLICT DO NOTHING" ||
    echo 'the backup could not be recorded in the database' >&2
}
record expected

name=$(date -u +%Y%m%dT%H%M%SZ)
pg_basebackup --pgdata "$folder/base/$name.part" --format tar --gzip --wal-method stream --checkpoint fast \
  --label "$name" --no-password
gzip -t "$folder/base/$name.part"/*.gz
date -u +%Y-%m-%dT%H:%M:%SZ >"$folder/base/$name.part/ended-at"
sync
mv "$folder/base/$name.part" "$folder/base/$name"
echo "made $name"
record "$name"

# Older backups go, but the newest stays. The log stays from the oldest kept backup on.
find "$folder/base" -mindepth 1 -maxdepth 1 -type d -name '*Z' ! -name "$name" -mtime "+$keep_days" \
  -exec rm -r {} + -exec echo deleted {} +
oldest=$(ls "$folder/base" | grep 'Z$' | sort | head -n 1)
first_log=$(tar -xzOf "$folder/base/$oldest/base.tar.gz" backup_label | sed -n 's/^START WAL LOCATION: .*(file \([0-9A-F]*\))$/\1/p')
pg_archivecleanup -x .gz "$folder/wal" "$first_log"
