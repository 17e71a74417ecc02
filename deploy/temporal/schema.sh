#!/bin/sh
# Brings Temporal's two databases to the schema of this version. Runs before each start of the server: a database that
# is up to date is left alone.
set -eu

SQL_PASSWORD="$(cat /run/secrets/temporal/password)"
export SQL_PASSWORD

migrate() {
  database=$1 versions=$2
  tool="temporal-sql-tool --plugin postgres12 --ep postgres --port 5432 --user temporal --db $database"
  $tool setup-schema --version 0.0
  $tool update-schema --schema-dir "/etc/temporal/schema/postgresql/v12/$versions/versioned"
}

migrate temporal temporal
migrate temporal_visibility visibility
