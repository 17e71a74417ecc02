import { randomUUID } from 'node:crypto';
import { type z } from 'zod';
import { type DisputeDetailResponse } from '../../src/subscriptions/provider/disputes.schemas';
import { call } from './client';
import { reaches, type Person, type Shop } from './factories';
import {
  createOwnShop,
  secretOf,
  subscribeWithForm,
  type AccountsApp,
  type Provider,
  type StripeAccount,
} from './paymentAccounts';
import { notify } from './stripeNotifications';

export type Dispute = z.output<typeof DisputeDetailResponse>;

/** A subscription that is paid in the account of its merchant, and how Stripe notifies of its charge. */
export interface OwnSubscription {
  shop: Shop;
  account: StripeAccount;
  id: string;
  intentId: string;
  /** `created`: Unix seconds. */
  tell: (type: string, object: object, created?: number) => Promise<Response>;
}

/** `headers`: of the request that subscribes. */
export async function subscribeInOwnShop(
  app: AccountsApp,
  headers: Record<string, string> = {},
): Promise<OwnSubscription> {
  const { shop, account } = await createOwnShop(app);
  const { subscription_id: id } = (await subscribeWithForm(app, shop, account, headers)).body;
  await reaches(app, shop.consumer, id, 'active');
  const [intent] = account.intents.values();
  const { body } = await call<Provider>(app, 'GET', '/payments/provider', undefined, shop.merchant);
  const path = new URL(body.notification_url ?? '').pathname;
  const about = { payment_intent: intent?.id };
  const tell = (type: string, object: object, created?: number) =>
    notify(
      app,
      { type, object: { ...about, ...object }, ...(created !== undefined && { created }) },
      secretOf(account),
      path,
    );
  return { shop, account, id, intentId: intent?.id ?? '', tell };
}

/** As Stripe describes a dispute. */
export const opened = (more: object = {}) => ({
  id: `dp_${randomUUID()}`,
  object: 'dispute',
  status: 'needs_response',
  reason: 'fraudulent',
  amount: 999,
  currency: 'eur',
  evidence_details: { due_by: 1_900_000_000 },
  balance_transactions: [{ fee: 1500, currency: 'eur' }],
  ...more,
});

export const listDisputes = (app: Pick<AccountsApp, 'address'>, merchant: Person) =>
  call<{ total: number; collection: Omit<Dispute, 'evidence'>[] }>(
    app,
    'GET',
    '/payments/disputes',
    undefined,
    merchant,
  ).then(({ body }) => body);
