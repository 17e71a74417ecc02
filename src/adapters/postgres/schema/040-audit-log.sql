-- The audit log is a hash chain per merchant. The program computes each hash with a key that the database never sees, so
-- nobody with the database alone can write an entry that verifies. A trigger accepts only the next entry of the chain.

CREATE TABLE audit_chains (
  merchant_id int PRIMARY KEY REFERENCES accounts (id),
  last_sequence bigint NOT NULL DEFAULT 0,
  last_hash bytea NOT NULL DEFAULT '',
  -- When the last entry was written. The heads of changed chains are published outside the database.
  changed_at timestamptz NOT NULL DEFAULT now(),
  -- The last entry that was deleted because of its age. The remaining chain continues from its hash.
  forgotten_sequence bigint NOT NULL DEFAULT 0,
  forgotten_hash bytea NOT NULL DEFAULT ''
);

-- The checks limit the columns to ids, names and network addresses: the log has no room for personal data.
CREATE TABLE audit_log (
  merchant_id int NOT NULL,
  sequence bigint NOT NULL,
  actor_account_id int NOT NULL,
  -- The account that acted as this one: a merchant or its staff as a customer, a master as its follower.
  acted_by uuid,
  action text NOT NULL CHECK (action ~ '^[a-z_]+\.[a-z_]+$'),
  object_type text NOT NULL CHECK (object_type ~ '^[a-z_]+$'),
  object_id text NOT NULL CHECK (object_id ~ '^[[:graph:]]{1,100}$'),
  request_id text CHECK (request_id ~ '^[[:graph:]]{1,100}$'),
  address text CHECK (address ~ '^[0-9a-f.:/]{1,50}$'),
  created_at timestamptz NOT NULL DEFAULT now(),
  previous_hash bytea NOT NULL,
  hash bytea NOT NULL,
  PRIMARY KEY (merchant_id, sequence),
  FOREIGN KEY (merchant_id, actor_account_id) REFERENCES accounts (merchant_id, id)
);
CREATE INDEX audit_log_action ON audit_log (merchant_id, action, sequence DESC);
CREATE INDEX audit_log_actor ON audit_log (merchant_id, actor_account_id, sequence DESC);
-- The timeline of a customer or another object.
CREATE INDEX audit_log_object ON audit_log (merchant_id, object_type, object_id, created_at DESC);

-- Locks the chain of a merchant and returns the place of its next entry.
CREATE FUNCTION take_audit_place(merchant int)
  RETURNS TABLE (sequence bigint, previous_hash bytea, created_at_micros bigint) LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  INSERT INTO audit_chains (merchant_id) VALUES (merchant) ON CONFLICT DO NOTHING;
  RETURN QUERY SELECT c.last_sequence + 1, c.last_hash, (extract(epoch FROM now()) * 1000000)::bigint
    FROM audit_chains c WHERE c.merchant_id = merchant FOR UPDATE;
END $$;

-- Guards the chain: a new entry continues it.
CREATE FUNCTION chain_audit_entry() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  UPDATE audit_chains SET last_sequence = NEW.sequence, last_hash = NEW.hash, changed_at = now()
    WHERE merchant_id = NEW.merchant_id AND last_sequence = NEW.sequence - 1 AND last_hash = NEW.previous_hash;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the entry does not continue the audit log';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER audit_log_chain BEFORE INSERT ON audit_log FOR EACH ROW EXECUTE FUNCTION chain_audit_entry();

-- Guards the entries: none is changed, and the table is never emptied.
CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit log only grows';
END $$;
CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();

-- Guards deletions: only entries older than 13 months, from the start of the chain and without a gap. The chain keeps
-- the hash of the last deleted entry, so that the remaining entries can still be verified.
CREATE FUNCTION forget_audit_entries() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM gone WHERE created_at >= now() - interval '13 months') OR EXISTS (
    SELECT FROM gone JOIN audit_chains c USING (merchant_id) GROUP BY merchant_id, c.forgotten_sequence
    HAVING min(sequence) <> c.forgotten_sequence + 1 OR max(sequence) <> c.forgotten_sequence + count(*))
  THEN
    RAISE EXCEPTION 'the audit log only grows';
  END IF;
  UPDATE audit_chains c SET forgotten_sequence = newest.sequence, forgotten_hash = newest.hash
  FROM (SELECT DISTINCT ON (merchant_id) merchant_id, sequence, hash FROM gone ORDER BY merchant_id, sequence DESC)
    AS newest
  WHERE c.merchant_id = newest.merchant_id;
  RETURN NULL;
END $$;
CREATE TRIGGER audit_log_retention AFTER DELETE ON audit_log REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION forget_audit_entries();

-- Deletes the entries whose time is over, as the owner: the role of the processes cannot delete. From the start of each
-- log to its first younger entry, so that the chain has no gap.
CREATE FUNCTION delete_outdated_audit_entries() RETURNS void LANGUAGE sql
  SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  DELETE FROM audit_log l USING (
    SELECT c.merchant_id, coalesce((SELECT min(k.sequence) FROM audit_log k WHERE k.merchant_id = c.merchant_id
      AND k.created_at >= now() - interval '13 months'), c.last_sequence + 1) AS first_kept
    FROM audit_chains c) AS bounds
  WHERE l.merchant_id = bounds.merchant_id AND l.sequence < bounds.first_kept
    -- The rows of a merchant on its way to another installation stay as they were exported.
    AND NOT EXISTS (SELECT FROM merchant_states moving WHERE moving.merchant_id = l.merchant_id
      AND moving.moving_since IS NOT NULL AND moving.moved_at IS NULL)
$$;
