#!/bin/bash
# Runs once, on an empty data volume: one role for each program, which owns its databases and sees no other, and a role
# for API and worker, which owns nothing. The log of the server contains no rows and no texts of their statements.
# In a subshell, since the image sources this file when the executable bit got lost.
(
  set -euo pipefail

  create() {
    local role=$1
    psql --username postgres --quiet --set ON_ERROR_STOP=1 --set role="$role" \
      --set password="$(cat "/run/secrets/postgres/$role-password")" <<'SQL'
CREATE ROLE :"role" LOGIN PASSWORD :'password';
SQL
    for database in "${@:2}"; do
      psql --username postgres --quiet --set ON_ERROR_STOP=1 --set role="$role" --set database="$database" <<'SQL'
CREATE DATABASE :"database" OWNER :"role";
REVOKE ALL ON DATABASE :"database" FROM PUBLIC;
SQL
    done
  }

  create paywall paywall
  create paywall_app
  create temporal temporal temporal_visibility

  psql --username postgres --quiet --set ON_ERROR_STOP=1 <<'SQL'
ALTER ROLE paywall SET log_error_verbosity = terse;
ALTER ROLE paywall_app SET log_error_verbosity = terse;
ALTER ROLE paywall_app SET log_min_error_statement = panic;
SQL
)
