import { reportQuery } from '../adapters/postgres/reports';

/** The credit and the debt of a merchant's customers in one currency. */
export interface Liability {
  currency: string;
  creditMinor: number;
  debtMinor: number;
  inCredit: number;
  inDebt: number;
}

const sums = `currency, coalesce(sum(balance) FILTER (WHERE balance > 0), 0)::bigint AS "creditMinor",
  coalesce(-sum(balance) FILTER (WHERE balance < 0), 0)::bigint AS "debtMinor",
  count(*) FILTER (WHERE balance > 0)::int AS "inCredit", count(*) FILTER (WHERE balance < 0)::int AS "inDebt"`;

const ofMerchant = 'merchant_id = $1 AND ($2::text IS NULL OR currency = $2)';

/** Without `before`: the current balances. With it: the sums of the movements before that time. */
export function sumBalances(merchantId: number, currency: string | undefined, before: Date | undefined) {
  const balances =
    before === undefined
      ? `SELECT currency, balance_minor AS balance FROM customer_balances WHERE ${ofMerchant} AND balance_minor <> 0`
      : `SELECT currency, sum(amount_minor) AS balance FROM balance_movements WHERE ${ofMerchant} AND created_at < $3
         GROUP BY account_id, currency HAVING sum(amount_minor) <> 0`;
  const text = `SELECT ${sums} FROM (${balances}) b GROUP BY currency ORDER BY currency`;
  return reportQuery<Liability>(text, [merchantId, currency ?? null, ...(before === undefined ? [] : [before])]);
}
