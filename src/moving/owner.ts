import { type Client } from 'pg';
import { isForAllMerchants } from '../adapters/cardProviders';
import { MoveRefusal } from './archive';

/** The payment account of an installation belongs to the merchant with the lowest id, unless all merchants use it. */

/** Writes or deletes merchants in the transaction of the client. Refuses if the account would get another owner. */
export async function keepOwner<T>(client: Client, group: readonly number[], work: () => Promise<T>): Promise<T> {
  if (isForAllMerchants) return work();
  const before = await findOwner(client, group);
  const result = await work();
  const after = await findOwner(client, group);
  if (before.others > 0 && before.id !== after.id)
    throw new MoveRefusal(
      `The Stripe account of this installation would belong to merchant ${after.id} instead of merchant ${before.id}. ` +
        'Nothing was changed. Set STRIPE_FOR_ALL_MERCHANTS=true if all merchants are yours, or connect an account for ' +
        'each merchant and remove CARD_PROVIDER=stripe.',
    );
  return result;
}

async function findOwner(client: Client, group: readonly number[]): Promise<{ id: number | null; others: number }> {
  const { rows } = await client.query<{ id: number | null; others: number }>(
    `SELECT min(id) AS id, count(*) FILTER (WHERE id <> ALL($1::int[]))::int AS others FROM accounts WHERE role = 'merchant'`,
    [group],
  );
  return rows[0] ?? { id: null, others: 0 };
}
