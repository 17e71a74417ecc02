import { call, type Reply } from './client';
import { createShop, type Shop, type Submitted } from './factories';
import { type SubmittedPayment } from './payments';
import { type TestApp } from './startApp';
import { until } from './until';

/** Test bank accounts of the sandbox. Its banks decide after five days of the merchant's clock. */
export const accounts = {
  paid: 'DE89370400440532013000',
  failed: 'DE62370400440532013001',
  closed: 'DE78370400440532013004',
  returned: 'DE35370400440532013002',
  failedAtRenewal: 'DE51370400440532013005',
  failedOnceAtRenewal: 'DE24370400440532013006',
  returnedOnceAtRenewal: 'DE94370400440532013007',
} as const;

type DebitAccess = 'at_submission' | 'with_payment';

/** A shop that offers direct debits, and whose consumer has a mandate. */
export async function createDebitShop(
  app: TestApp,
  iban: string,
  { access = 'with_payment', fee = {} }: { access?: DebitAccess; fee?: Record<string, unknown> } = {},
): Promise<Shop> {
  const shop = await createShop(app, fee);
  await offerDebits(app, shop, access);
  await createMandate(app, shop, iban);
  return shop;
}

export function offerDebits(
  app: Pick<TestApp, 'address'>,
  { merchant }: Pick<Shop, 'merchant'>,
  access: DebitAccess = 'with_payment',
) {
  const body = { payment_methods: ['card', 'direct_debit'], debit_access: access };
  return call(app, 'PUT', '/accounts/settings', body, merchant);
}

export function createMandate(app: Pick<TestApp, 'address'>, { consumer }: Pick<Shop, 'consumer'>, iban: string) {
  const body = { name: 'Ana Petrova', iban };
  return call<Record<string, unknown>>(app, 'POST', '/v2/payments/direct-debit/mandate', body, consumer);
}

export function subscribeByDebit(app: TestApp, { consumer, item, fee }: Shop): Promise<Reply<Submitted>> {
  const body = { payment_method: 'Direct Debit', item_id: item.id, access_fee_id: fee.id };
  return call<Submitted>(app, 'POST', '/v2/subscriptions', body, consumer);
}

/** Waits until a charge of a purchase has a status. `place`: the cycle and the attempt of a subscription's charge. */
export const charged = (app: Pick<TestApp, 'pool'>, token: string, status: string, place = '1:1') =>
  until(async () => {
    const text = 'SELECT status FROM charges WHERE idempotency_key IN ($1, $2)';
    const { rows } = await app.pool.query<{ status: string }>(text, [token, `${token}:${place}`]);
    return rows[0]?.status === status;
  });

export function payByDebit(
  app: TestApp,
  { consumer, item, fee }: Shop,
  fields: Record<string, unknown> = {},
): Promise<Reply<SubmittedPayment>> {
  const body = { payment_method: 'Direct Debit', item_id: item.id, access_fee_id: fee.id, ...fields };
  return call<SubmittedPayment>(app, 'POST', '/v2/payments', body, consumer);
}
