import { type Migration } from './migration';

/**
 * Folding takes what it folds in one walk along the index. As a join with itself it was planned while nothing was there
 * to fold, and then read the table once for each of many rows.
 */
export const foldingInOrder: Migration = {
  name: '0070-folding-in-order',
  up: `
    CREATE OR REPLACE FUNCTION fold_figures(most int) RETURNS int LANGUAGE plpgsql AS $$
    DECLARE
      folded int;
    BEGIN
      IF NOT pg_try_advisory_xact_lock(hashtext('fold_figures')) THEN
        RETURN 0;
      END IF;
      WITH taken AS (
        DELETE FROM figure_deltas
        WHERE id <= (SELECT max(id) FROM (SELECT id FROM figure_deltas ORDER BY id LIMIT most) AS first) RETURNING *
      ), written AS (
        INSERT INTO daily_figures AS f (merchant_id, figure, dimension, day, key, currency, count, amount_minor)
        SELECT merchant_id, figure, d.dimension, day, d.key, currency, sum(count), sum(amount_minor)
        FROM taken CROSS JOIN LATERAL unnest(dimensions, keys) AS d (dimension, key)
        GROUP BY merchant_id, figure, d.dimension, day, d.key, currency
        ON CONFLICT (merchant_id, figure, dimension, day, key, currency)
          DO UPDATE SET count = f.count + excluded.count, amount_minor = f.amount_minor + excluded.amount_minor
      )
      SELECT count(*) INTO folded FROM taken;
      RETURN folded;
    END $$;
  `,
};
