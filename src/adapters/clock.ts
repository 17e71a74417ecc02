import { type Transaction } from './postgres/connection';
import { statement } from './postgres/statement';
import { environmentName } from './settings';

/** The present. Business rules ask here and nowhere else, so that a merchant's own time has one place to come from. */
export function now(): Date {
  return new Date();
}

const merchantNowStatement = statement<{ present: Date }>('merchant_now', 'SELECT merchant_now($1) AS present');

/**
 * The present of a merchant: for whatever its test clock moves (sales, periods, vouchers, reports). In SQL it is
 * `merchant_now(merchant_id)`. In production nothing moves it, and nothing is asked.
 */
export async function merchantNow(merchantId: number, inTransaction?: Transaction): Promise<Date> {
  if (environmentName === 'production') return now();
  const [row] = await merchantNowStatement([merchantId], inTransaction);
  return row?.present ?? now();
}

/** A merchant's present, and how far its test clock is ahead; both in milliseconds. */
export interface MerchantTime {
  atMs: number;
  aheadMs: number;
}

const merchantTimeStatement = statement<MerchantTime>(
  'merchant_time',
  `SELECT trunc(extract(epoch FROM merchant_now($1)) * 1000)::float8 AS "atMs",
     coalesce((SELECT extract(epoch FROM ahead) * 1000 FROM test_clocks WHERE merchant_id = $1), 0)::float8 AS "aheadMs"`,
);

/** For a workflow of the merchant's, which keeps its own time. */
export async function merchantTime(merchantId: number, inTransaction?: Transaction): Promise<MerchantTime> {
  if (environmentName === 'production') return { atMs: now().getTime(), aheadMs: 0 };
  const [row] = await merchantTimeStatement([merchantId], inTransaction);
  return row ?? { atMs: now().getTime(), aheadMs: 0 };
}
