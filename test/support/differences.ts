import { randomUUID } from 'node:crypto';
import { type z } from 'zod';
import { type DifferenceResponse } from '../../src/subscriptions/settlement/differences.schemas';
import { subscribeInOwnShop, type OwnSubscription } from './disputes';
import { call } from './client';
import { type Person } from './factories';
import { type AccountsApp, type StripeAccount } from './paymentAccounts';
import { type TestApp } from './startApp';

export type Difference = z.output<typeof DifferenceResponse>;
type Intent = StripeAccount['intents'] extends Map<string, infer One> ? One : never;

/** A subscription in the account of its merchant, whose charge is old enough to be compared. */
export async function subscribeLongAgo(app: AccountsApp): Promise<OwnSubscription & { intent: Intent }> {
  const own = await subscribeInOwnShop(app);
  const intent = own.account.intents.get(own.intentId);
  if (!intent) throw new Error('nothing was charged');
  const text = `UPDATE charges SET known_at = now() - interval '2 hours' WHERE reference = $1`;
  await app.pool.query(text, [own.intentId]);
  return { ...own, intent };
}

/** Compares all accounts, also those that were compared today. */
export async function compare(app: Pick<TestApp, 'pool'>): Promise<void> {
  await app.pool.query(`UPDATE balance_listings SET listed_to = listed_to - interval '25 hours'`);
  const { compareBalances } = await import('../../src/subscriptions/settlement/comparison.js');
  await compareBalances();
}

export async function listDifferences(
  app: Pick<TestApp, 'address'>,
  merchant: Person,
  query = '',
): Promise<Difference[]> {
  const path = `/payments/differences${query}`;
  return (await call<{ collection: Difference[] }>(app, 'GET', path, undefined, merchant)).body.collection;
}

export const resolve = (app: AccountsApp, merchant: Person, id: number | undefined, body: Record<string, unknown>) =>
  call<Difference>(app, 'POST', `/payments/differences/${id}/resolution`, body, merchant);

/** A payment of 9.99 EUR in the next cycle of a subscription, which only the provider has, and its difference. */
export async function addMissingPayment(app: AccountsApp) {
  const own = await subscribeLongAgo(app);
  const id = `pi_${randomUUID()}`;
  const metadata = { ...own.intent.metadata, paywall_charge: `${own.id}:2:1` };
  own.account.intents.set(id, { ...own.intent, id, metadata });
  await compare(app);
  const [difference] = await listDifferences(app, own.shop.merchant);
  expect(difference).toMatchObject({ kind: 'payment_missing', payment: id, actions: ['record', 'refund', 'accept'] });
  return { ...own, paymentId: id, difference };
}
