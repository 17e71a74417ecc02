#!/bin/sh
# Adds the uuids of the accounts that were erased to BACKUP_FOLDER/erasures, one in a line. A restored backup contains
# these accounts again. A line never goes away: a restored database does not know its later erasures. The file's time is
# that of the last success, which check.sh reads. Connects as backup.sh does, to the database PGDATABASE (paywall without
# one).
set -eu

folder=${BACKUP_FOLDER:?BACKUP_FOLDER: name the folder of the backups}
umask 077
mkdir -p "$folder"
part=$folder/erasures.part
PGDATABASE=${PGDATABASE:-paywall} psql --no-psqlrc --no-password --tuples-only --no-align --quiet \
  --set ON_ERROR_STOP=1 --output "$part.new" --command "SELECT DISTINCT a.uuid FROM account_operations o
    JOIN accounts a ON a.id = o.account_id WHERE o.kind = 'erasure'"
[ -e "$folder/erasures" ] || : >"$folder/erasures"
LC_ALL=C sort -u "$folder/erasures" "$part.new" >"$part"
rm "$part.new"
if cmp -s "$part" "$folder/erasures"; then
  rm "$part"
  touch "$folder/erasures"
else
  sync "$part"
  mv "$part" "$folder/erasures"
  sync "$folder"
fi
