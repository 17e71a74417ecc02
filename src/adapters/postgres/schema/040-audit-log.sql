-- The audit log is a hash chain per merchant. A trigger numbers each entry and adds the hash of all entries before it,
-- so no code can write outside the chain, and a changed or removed entry breaks it.

CREATE TABLE audit_chains (
  merchant_id int PRIMARY KEY REFERENCES accounts (id),
  last_sequence bigint NOT NULL DEFAULT 0,
  last_hash bytea NOT NULL DEFAULT '',
  -- The last entry that was deleted because of its age. The remaining chain continues from its hash.
  forgotten_sequence bigint NOT NULL DEFAULT 0,
  forgotten_hash bytea NOT NULL DEFAULT ''
);

-- The checks limit the columns to ids, names and network addresses: the log has no room for personal data.
CREATE TABLE audit_log (
  merchant_id int NOT NULL,
  sequence bigint NOT NULL,
  actor_account_id int NOT NULL,
  -- The merchant that acted as its customer.
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

-- Guards the chain: gives each new entry its number and its hash.
CREATE FUNCTION chain_audit_entry() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  INSERT INTO audit_chains (merchant_id) VALUES (NEW.merchant_id) ON CONFLICT DO NOTHING;
  SELECT last_sequence + 1, last_hash INTO NEW.sequence, NEW.previous_hash FROM audit_chains
    WHERE merchant_id = NEW.merchant_id FOR UPDATE;
  NEW.hash := sha256(NEW.previous_hash || convert_to(concat_ws(E'\n', NEW.merchant_id, NEW.sequence,
    NEW.actor_account_id, coalesce(NEW.acted_by::text, '-'), NEW.action, NEW.object_type, NEW.object_id,
    coalesce(NEW.request_id, '-'), coalesce(NEW.address, '-'),
    (extract(epoch FROM NEW.created_at) * 1000000)::bigint), 'UTF8'));
  UPDATE audit_chains SET last_sequence = NEW.sequence, last_hash = NEW.hash WHERE merchant_id = NEW.merchant_id;
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
$$;
