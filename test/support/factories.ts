import { randomUUID } from 'node:crypto';
import { type z } from 'zod';
import { type AuthenticationResponse } from '../../src/accounts/accounts.schemas';
import { type AccessFeeResponse } from '../../src/items/accessFees/accessFees.schemas';
import { type ItemWithContent } from '../../src/items/items.schemas';
import { type SubmittedResponse, type SubscriptionResponse } from '../../src/subscriptions/subscriptions.schemas';
import { call, type Reply } from './client';
import { type TestApp } from './startApp';
import { until } from './until';

type Authentication = z.output<typeof AuthenticationResponse>;
type Item = z.output<typeof ItemWithContent>;
type Fee = z.output<typeof AccessFeeResponse>;
export type SubscriptionRow = z.output<typeof SubscriptionResponse>;

export const password = 'correct-horse-battery';

export interface Person {
  token: string;
  refreshToken: string;
  id: number;
  uuid: string;
  merchantUuid: string;
  email: string;
  /** A member of a merchant's staff, who cannot buy. */
  isStaff?: true;
}

/** Everything is created through the API, under unique names. */
export function registration(type: 'merchant' | 'consumer', clientId: string) {
  return {
    full_name: 'Ana Petrova',
    username: `${type}-${randomUUID()}@example.org`,
    password,
    password_confirmation: password,
    type,
    client_id: clientId,
  };
}

export async function createMerchant(app: Pick<TestApp, 'address'>): Promise<Person> {
  return person(await call<Authentication>(app, 'POST', '/accounts', registration('merchant', 'platform')));
}

export async function createConsumer(app: Pick<TestApp, 'address'>, merchant: Person): Promise<Person> {
  return person(await call<Authentication>(app, 'POST', '/accounts', registration('consumer', merchant.uuid)));
}

export async function createItem(
  app: Pick<TestApp, 'address'>,
  merchant: Person,
  fields: Record<string, unknown> = {},
): Promise<Item> {
  const item = { item_type: 'html_asset', title: 'Cup final', content: '<p>The final.</p>', ...fields };
  return (await call<Item>(app, 'POST', '/v2/items', item, merchant)).body;
}

export async function createFee(
  app: Pick<TestApp, 'address'>,
  merchant: Person,
  itemId: number,
  fields: Record<string, unknown> = {},
): Promise<Fee> {
  const fee = {
    access_type: 'subscription',
    quantity: 1,
    period: 'month',
    amount: '9.99',
    currency: 'EUR',
    description: 'Monthly pass',
    ...fields,
  };
  return (await call<Fee>(app, 'POST', `/v2/items/${itemId}/access-fees`, fee, merchant)).body;
}

export interface Shop {
  merchant: Person;
  consumer: Person;
  item: Item;
  fee: Fee;
}

/** A merchant with one item at 9.99 EUR a month, and a consumer. */
export async function createShop(
  app: Pick<TestApp, 'address'>,
  feeFields: Record<string, unknown> = {},
): Promise<Shop> {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const item = await createItem(app, merchant);
  return { merchant, consumer, item, fee: await createFee(app, merchant, item.id, feeFields) };
}

export const cards = {
  success: '4242424242424242',
  slow: '4000000000003006',
  declined: '4000000000000002',
  insufficientFunds: '4000000000009995',
  expired: '4000000000000069',
  needsAuthentication: '4000000000003220',
  timeoutBeforeCharging: '4000000000004087',
  timeoutAfterCharging: '4000000000005043',
  declinedAtRenewal: '4000000000000614',
  declinedOnceAtRenewal: '4000000000000622',
  lostAtRenewal: '4000000000000630',
  busyAtRenewal: '4000000000000648',
  misconfigured: '4000000000000655',
  misconfiguredAtRenewal: '4000000000000663',
  unavailable: '4000000000000671',
  declinedWhenCharged: '4000000000000341',
  authenticatedOnce: '4000002500003155',
} as const;

export function purchase(shop: Partial<Omit<Shop, 'fee'>> & { fee: Pick<Fee, 'id'> }, number: string = cards.success) {
  return {
    access_fee: shop.fee.id,
    payment_method: 1,
    number,
    card_name: 'Ana Petrova',
    exp_month: '2',
    exp_year: '2040',
    cvv: '123',
  };
}

export type Submitted = z.output<typeof SubmittedResponse>;

export function subscribe(app: Pick<TestApp, 'address'>, shop: Shop, number?: string): Promise<Reply<Submitted>> {
  return call<Submitted>(app, 'POST', '/subscriptions', purchase(shop, number), shop.consumer);
}

/** Waits until the subscription's row is in a state. */
export function reaches(app: Pick<TestApp, 'address'>, caller: Person, id: string, status: SubscriptionRow['status']) {
  return until(async () => {
    const { body } = await call<SubscriptionRow>(app, 'GET', `/subscriptions/${id}`, undefined, caller);
    return body.status === status && body;
  });
}

function person({ body, status }: Reply<Authentication>): Person {
  if (status !== 200) throw new Error(`Registration answered ${status}: ${JSON.stringify(body)}`);
  const { account } = body;
  return {
    token: body.access_token,
    refreshToken: body.refresh_token,
    id: account.id,
    uuid: account.uuid,
    merchantUuid: account.merchant_uuid,
    email: account.email,
  };
}
