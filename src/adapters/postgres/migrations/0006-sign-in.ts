import { type Migration } from './migration';

/**
 * Clients with secrets, what a session was opened by, and the counters against guessing. A spent refresh token holds its
 * successor sealed with a key that only its bearer can derive: whoever lost the answer may ask once more.
 */
export const signIn: Migration = {
  name: '0006-sign-in',
  up: `
    ALTER TABLE oauth_apps
      ADD COLUMN secret_hash bytea,
      ADD COLUMN sso boolean NOT NULL DEFAULT false,
      ADD COLUMN redirect_uris text[] NOT NULL DEFAULT '{}';

    ALTER TABLE sessions
      ADD COLUMN grant_type text NOT NULL DEFAULT 'password',
      ADD COLUMN scopes text[],
      ADD COLUMN actor_uuid uuid,
      ADD COLUMN actor_session_id uuid REFERENCES sessions (id) ON DELETE CASCADE;
    CREATE INDEX sessions_client ON sessions (client_id) WHERE revoked_at IS NULL;
    CREATE INDEX sessions_actor ON sessions (actor_session_id) WHERE actor_session_id IS NOT NULL;

    ALTER TABLE refresh_tokens ADD COLUMN sealed_successor bytea;

    CREATE TABLE merchant_settings (
      merchant_id int PRIMARY KEY REFERENCES accounts (id),
      session_limit int CHECK (session_limit >= 1),
      updated_at timestamptz NOT NULL DEFAULT now()
    );

    CREATE TABLE wrong_guesses (
      key bytea PRIMARY KEY,
      failures int NOT NULL,
      failed_at timestamptz NOT NULL,
      blocked_until timestamptz NOT NULL DEFAULT '-infinity',
      trusted_until timestamptz NOT NULL DEFAULT '-infinity'
    );
    CREATE INDEX wrong_guesses_failed ON wrong_guesses (failed_at);
  `,
};
