import { type Transaction } from '../adapters/postgres/connection';
import { statement } from '../adapters/postgres/statement';

const moveStatement = statement<{ aheadMs: number }>(
  'test_clock_move',
  `INSERT INTO test_clocks AS c (merchant_id, ahead) VALUES ($1, make_interval(secs => $2))
   ON CONFLICT (merchant_id) DO UPDATE SET ahead = c.ahead + excluded.ahead, updated_at = now()
   RETURNING (extract(epoch FROM ahead) * 1000)::float8 AS "aheadMs"`,
);

/** Moves a merchant's clock, and returns how far it is ahead now. Parallel moves add up. */
export async function moveClock(inTransaction: Transaction, merchantId: number, seconds: number): Promise<number> {
  const [row] = await moveStatement([merchantId, seconds], inTransaction);
  if (!row) throw new Error('a clock was not moved');
  return row.aheadMs;
}
