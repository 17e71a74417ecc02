-- The second fence between merchants. Each statement of the program has the merchant in its conditions. These policies hide
-- the rows of other merchants from a statement that forgets it, while the setting `paywall.merchant` names a merchant. The
-- program sets it for each request of a known caller (`src/adapters/postgres/fence.ts`). Work for many merchants, such as
-- sweeps and deliveries, has no setting and sees all rows. Policies do not apply to the owner of the tables.

-- Fences a table by its column `merchant_id`. A row without a merchant is visible to all. The setting is read once for each
-- statement. The planner takes the form of the condition for one that nearly all rows fulfil, so it plans as it does without
-- a policy: the conditions of the statement choose the merchant already.
CREATE FUNCTION fence_table(target regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', target);
  EXECUTE format($policy$CREATE POLICY fence ON %s USING (
    ((merchant_id <> (SELECT nullif(current_setting('paywall.merchant', true), '')::int))::int = 1) IS NOT TRUE
  )$policy$, target);
END $$;

DO $$
DECLARE
  target regclass;
BEGIN
  FOR target IN
    SELECT attrelid::regclass FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
    WHERE a.attname = 'merchant_id' AND c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
    ORDER BY 1
  LOOP
    PERFORM fence_table(target);
  END LOOP;
END $$;

-- Lists that are sorted by an expression or searched by the parts of a text, which PostgreSQL cannot answer from an index behind
-- a policy: it applies no function to a hidden row. The views have the rights of the owner, so they have no fence. Whoever
-- reads them must have the merchant in the conditions. A migration that adds a column calls `unfence_table` again. One that
-- removes a column drops the view before, and calls it afterwards.
CREATE SCHEMA unfenced;

-- Creates the view of a table, which the same roles may read.
CREATE FUNCTION unfence_table(target regclass) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  reader regrole;
BEGIN
  EXECUTE format('DROP VIEW IF EXISTS unfenced.%1$s; CREATE VIEW unfenced.%1$s AS SELECT * FROM public.%1$s', target);
  FOR reader IN SELECT a.grantee FROM pg_class, aclexplode(relacl) a
    WHERE oid = target AND a.privilege_type = 'SELECT' AND a.grantee NOT IN (0, relowner)
  LOOP
    EXECUTE format('GRANT SELECT ON unfenced.%s TO %s', target, reader);
  END LOOP;
END $$;

SELECT unfence_table(name) FROM unnest(ARRAY['accounts', 'items', 'vouchers', 'subscriptions', 'store_purchases', 'invoices',
  'invoice_buyers']::regclass[]) name;
