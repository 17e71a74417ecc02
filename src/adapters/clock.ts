import { type ClockState } from '../../workflows/messages';
import { type Transaction } from './postgres/connection';
import { statement } from './postgres/statement';
import { environmentName } from './settings';

/** The current real time. Rules that a test clock moves use `merchantNow`. */
export function now(): Date {
  return new Date();
}

const merchantNowStatement = statement<{ present: Date }>('merchant_now', 'SELECT merchant_now($1) AS present');

/**
 * A merchant's current time, for everything that its test clock moves (sales, periods, vouchers, reports). In SQL it is
 * `merchant_now(merchant_id)`. In production there are no test clocks, so the database is not read.
 */
export async function merchantNow(merchantId: number, inTransaction?: Transaction): Promise<Date> {
  if (environmentName === 'production') return now();
  const [row] = await merchantNowStatement([merchantId], inTransaction);
  return row?.present ?? now();
}

const clockStateStatement = statement<ClockState>(
  'clock_state',
  `SELECT (extract(epoch FROM ahead) * 1000)::float8 AS "aheadMs",
     trunc(extract(epoch FROM updated_at + ahead) * 1000)::float8 AS "jumpedToMs"
   FROM test_clocks WHERE merchant_id = $1`,
);

/** The state of a merchant's test clock, for runs that use the merchant's time. */
export async function clockState(merchantId: number, inTransaction?: Transaction): Promise<ClockState> {
  if (environmentName === 'production') return unmoved;
  const [row] = await clockStateStatement([merchantId], inTransaction);
  return row ?? unmoved;
}

const unmoved: ClockState = { aheadMs: 0, jumpedToMs: 0 };

/** A merchant's current time, and by how much its test clock is ahead; both in milliseconds. */
export interface MerchantTime {
  atMs: number;
  aheadMs: number;
}

const merchantTimeStatement = statement<MerchantTime>(
  'merchant_time',
  `SELECT trunc(extract(epoch FROM merchant_now($1)) * 1000)::float8 AS "atMs",
     coalesce((SELECT extract(epoch FROM ahead) * 1000 FROM test_clocks WHERE merchant_id = $1), 0)::float8 AS "aheadMs"`,
);

/** The time of a merchant for its workflow, which continues the clock on its own. */
export async function merchantTime(merchantId: number, inTransaction?: Transaction): Promise<MerchantTime> {
  if (environmentName === 'production') return { atMs: now().getTime(), aheadMs: 0 };
  const [row] = await merchantTimeStatement([merchantId], inTransaction);
  return row ?? { atMs: now().getTime(), aheadMs: 0 };
}
