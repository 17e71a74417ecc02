import { call, listen } from '../../support/client';
import { createShop, password, reaches, subscribe, type Shop } from '../../support/factories';
import { mailsTo } from '../../support/mailbox';
import { enterConsole, PageWalker } from '../../support/pageWalker';
import { createPayShop, paid, refund, refunded } from '../../support/payments';
import { intentOf, notify, startStripeApp, type StripeApp } from '../../support/stripeNotifications';
import { refundsLate } from '../../support/stripeServer';

/** Refunds that Stripe has accepted and that the customer's bank confirms or refuses days later. */

let app: StripeApp;

beforeAll(async () => (app = await startStripeApp()));
afterAll(() => app.stop());

const hasAccess = async ({ item, consumer }: Shop) =>
  (await call(app, 'GET', `/items/${item.id}/access`, undefined, consumer)).status === 200;

interface Row {
  trx_token: string;
  action_type: string;
  charged_amount: number;
  pending_refund_amount: number;
}

/** The pending refund of the first charge, as the merchant and the consumer see it. */
async function shownTo({ merchant, consumer }: Shop): Promise<(number | undefined)[]> {
  const lists = [
    call<{ collection: Row[] }>(app, 'GET', '/payments/transactions', undefined, merchant),
    call<{ collection: Row[] }>(app, 'GET', '/v2/accounting/payment-history', undefined, consumer),
  ];
  const answers = await Promise.all(lists);
  return answers.map(({ body }) => body.collection.at(-1)?.pending_refund_amount);
}

/** A paid charge whose refund is pending at Stripe. */
async function pendingRefund(shop: Shop, fields: Record<string, unknown> = {}) {
  const token = await paid(app, shop, refundsLate);
  expect((await refund(app, shop.merchant, token, fields)).status).toBe(200);
  await refunded(app, token, 1, 'pending');
  return { token, intent: (await intentOf(app.stripe, token)).id };
}

/** The bank decides, and Stripe's notification of it arrives. */
async function decide(intent: string, changes: Record<string, unknown>, type: string): Promise<void> {
  const made = app.stripe.refunds.findLast(({ payment_intent: of }) => of === intent);
  if (!made) throw new Error('nothing was refunded');
  Object.assign(made, changes);
  const object = type === 'charge.refund.updated' ? { ...made } : { id: made['id'], payment_intent: intent };
  expect((await notify(app, { type, object })).status).toBe(200);
}

const refusal = { status: 'failed', failure_reason: 'expired_or_canceled_card' };

test('200: a pending refund is shown as pending, changes no access, and is counted when it succeeds', async () => {
  const shop = await createPayShop(app);
  const { token, intent } = await pendingRefund(shop, { revoke_access: true });
  expect(await shownTo(shop)).toEqual([4.5, 4.5]);
  expect(await hasAccess(shop)).toBe(true);
  expect(await refund(app, shop.merchant, token)).toMatchObject({ status: 409, body: { error: 'nothing_to_refund' } });
  const channel = await listen(app, shop.consumer);
  await decide(intent, { status: 'succeeded' }, 'refund.updated');
  await channel.hears('payment.refund.success');
  await channel.close();
  expect(await refunded(app, token)).toMatchObject([{ amount: 450 }]);
  expect(await shownTo(shop)).toEqual([0, 0]);
  expect(await hasAccess(shop)).toBe(false);
});

test('200: a subscription ends when its pending refund succeeds', async () => {
  const shop = await createShop(app);
  const { body } = await subscribe(app, shop, refundsLate);
  await reaches(app, shop.consumer, body.subscription_id, 'active');
  await refund(app, shop.merchant, `${body.subscription_id}-1-1`, { revoke_access: true });
  await refunded(app, `${body.subscription_id}-1-1`, 1, 'pending');
  const { id } = await intentOf(app.stripe, body.subscription_id);
  await decide(id, { status: 'succeeded' }, 'charge.refund.updated');
  await reaches(app, shop.consumer, body.subscription_id, 'revoked');
});

test('200: one that the bank refuses can be made again, and the merchant is told what to do', async () => {
  const shop = await createPayShop(app);
  const { token, intent } = await pendingRefund(shop);
  await decide(intent, refusal, 'refund.failed');
  await refunded(app, token, 1, 'failed');
  expect(await shownTo(shop)).toEqual([0, 0]);
  expect(await hasAccess(shop)).toBe(true);
  const [mail] = await mailsTo(app, shop.merchant, shop.merchant.email);
  expect(mail?.subject).toContain('refund of €4.50');
  expect(mail?.text).toContain('expired_or_canceled_card');
  expect(mail?.text).toContain(`/console/transactions/${token}/refund`);
  expect((await refund(app, shop.merchant, token)).status).toBe(200);
});

test('200: one that was made in the dashboard is followed as well', async () => {
  const shop = await createPayShop(app);
  const token = await paid(app, shop, refundsLate);
  const { id } = await intentOf(app.stripe, token);
  const body = new URLSearchParams({ payment_intent: id, amount: '150' });
  expect((await fetch(`${app.stripe.url}/v1/refunds`, { method: 'POST', body })).status).toBe(200);
  await decide(id, {}, 'refund.created');
  expect(await shownTo(shop)).toEqual([1.5, 1.5]);
  await decide(id, { status: 'succeeded' }, 'refund.updated');
  expect(await refunded(app, token)).toMatchObject([{ amount: 150 }]);
});

test('200: the outcome is asked for when its notification is lost', async () => {
  const shop = await createPayShop(app);
  const { token, intent } = await pendingRefund(shop);
  Object.assign(app.stripe.refunds.findLast(({ payment_intent: of }) => of === intent) ?? {}, { status: 'succeeded' });
  await refunded(app, token);
  const requests =
    'SELECT count(*)::int AS n FROM refunds r JOIN charges c ON c.id = r.charge_id WHERE c.trx_token = $1';
  expect((await app.pool.query<{ n: number }>(requests, [token])).rows).toEqual([{ n: 1 }]);
  expect(app.stripe.refunds.filter(({ payment_intent: of }) => of === intent)).toHaveLength(1);
});

test('200: the pages show a pending and a failed refund, and what to do', async () => {
  const shop = await createPayShop(app);
  const { token, intent } = await pendingRefund(shop);
  const inConsole = await enterConsole(app, shop.merchant.email);
  const place = `/console/transactions/${token}/refund`;
  expect((await inConsole.open('/console/transactions')).text).toContain('€4.50 is being refunded');
  expect((await inConsole.open(place)).text).toContain('has not confirmed it yet');
  const portal = `/portal/${shop.merchant.uuid}`;
  const inPortal = new PageWalker(app);
  await inPortal.open(`${portal}/sign-in`);
  await inPortal.submit(`${portal}/sign-in`, { username: shop.consumer.email, password });
  expect((await inPortal.open(`${portal}/receipts`)).text).toContain('A refund of €4.50 is on its way');
  await decide(intent, refusal, 'refund.failed');
  const { text: failed } = await inConsole.open(place);
  expect(failed).toContain('expired_or_canceled_card');
  expect(failed).toContain('Refund it again');
});
