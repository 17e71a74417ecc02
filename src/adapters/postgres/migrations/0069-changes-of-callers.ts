import { type Migration } from './migration';

/** Replicas keep who calls in memory: what ends or narrows a session, or changes its account, from wherever, tells them. */
export const changesOfCallers: Migration = {
  name: '0069-changes-of-callers',
  up: `
    CREATE FUNCTION notify_session() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_notify('sessions', OLD.id::text);
      RETURN NULL;
    END $$;
    CREATE TRIGGER sessions_changed AFTER UPDATE ON sessions FOR EACH ROW
      WHEN (OLD.revoked_at IS NULL AND OLD IS DISTINCT FROM NEW) EXECUTE FUNCTION notify_session();
    CREATE TRIGGER sessions_deleted AFTER DELETE ON sessions FOR EACH ROW
      WHEN (OLD.revoked_at IS NULL AND OLD.expires_at > now()) EXECUTE FUNCTION notify_session();

    CREATE FUNCTION notify_account_state() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_notify('account_states', OLD.id::text);
      RETURN NULL;
    END $$;
    CREATE TRIGGER accounts_state_changed AFTER UPDATE OF is_active, role, date_of_birth ON accounts FOR EACH ROW
      WHEN ((OLD.is_active, OLD.role, OLD.date_of_birth) IS DISTINCT FROM (NEW.is_active, NEW.role, NEW.date_of_birth))
      EXECUTE FUNCTION notify_account_state();

    CREATE FUNCTION notify_relation() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      -- A removal ends the sessions too, which closes their sockets for good: nobody is asked to come back.
      PERFORM pg_notify(CASE WHEN NEW.removed_at IS NULL THEN 'accounts' ELSE 'account_states' END,
        coalesce(NEW.follower_id, OLD.follower_id)::text);
      RETURN NULL;
    END $$;
    CREATE TRIGGER follower_relations_changed AFTER INSERT OR UPDATE OR DELETE ON follower_relations FOR EACH ROW
      EXECUTE FUNCTION notify_relation();

    CREATE FUNCTION notify_sessions_of_app() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_notify('sessions', id::text) FROM sessions WHERE client_id = NEW.client_id AND revoked_at IS NULL;
      RETURN NULL;
    END $$;
    CREATE TRIGGER oauth_apps_closed AFTER UPDATE OF is_active ON oauth_apps FOR EACH ROW
      WHEN (OLD.is_active AND NOT NEW.is_active) EXECUTE FUNCTION notify_sessions_of_app();
  `,
};
