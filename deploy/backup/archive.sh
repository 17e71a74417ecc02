#!/bin/sh
# Copies one finished part of the write-ahead log: the `archive_command` of PostgreSQL is
# `exec sh archive.sh "%p" "%f"`. PostgreSQL deletes its own part only after this ends without an error.
set -eu

path=$1 name=$2
folder=${BACKUP_FOLDER:?}/wal
umask 077
mkdir -p "$folder"

# After a crash PostgreSQL can ask for the same part again. Another part under the same name is never replaced.
if [ -e "$folder/$name.gz" ]; then
  gzip -dc "$folder/$name.gz" | cmp -s - "$path" && exit 0
  echo "$folder/$name.gz already holds something else" >&2
  exit 1
fi
gzip -c "$path" >"$folder/$name.part"
sync "$folder/$name.part"
mv "$folder/$name.part" "$folder/$name.gz"
sync "$folder"
