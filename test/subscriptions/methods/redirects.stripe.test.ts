import { call } from '../../support/client';
import { charged } from '../../support/debits';
import { reaches, type Shop } from '../../support/factories';
import { settles } from '../../support/payments';
import { buyOnPage, createRedirectShop, type OnPage } from '../../support/redirects';
import { notify, startStripeApp, type StripeApp } from '../../support/stripeNotifications';
import { passDays } from '../../support/testClock';

/** iDEAL, Bancontact and PayPal at Stripe, whose notifications come before the payer, after, twice, or never. */

let app: StripeApp;

beforeAll(async () => (app = await startStripeApp()));

afterAll(() => app.stop());

const access = async ({ item, consumer }: Shop) =>
  (await call(app, 'GET', `/items/${item.id}/access`, undefined, consumer)).status;

const tell = ({ pi: id }: OnPage, type: string, eventId?: string) =>
  notify(app, { type, object: { id }, ...(eventId !== undefined && { id: eventId }) });

test('200: Stripe gets the method, the payer and the address of the return', async () => {
  const shop = await createRedirectShop(app, 'payment');
  const page = await buyOnPage(app, shop, 'payment');
  expect(page.redirectTo).toBe(`https://bank.example/${page.pi}`);
  const means = app.stripe.sent.findLast(({ path }) => path === '/v1/payment_methods')?.fields;
  expect(means).toMatchObject({ type: 'ideal', billing_details: { email: expect.stringContaining('@') as string } });
  const intent = app.stripe.sent.findLast(({ path }) => path === '/v1/payment_intents')?.fields;
  expect(intent).toMatchObject({ allowed_payment_method_types: ['ideal'], currency: 'eur' });
  expect(String(intent?.['return_url'])).toContain('ippwat=ppv');
  expect(intent).not.toHaveProperty('setup_future_usage');
});

test('200: a first period asks for the mandate, which the payer has accepted', async () => {
  const shop = await createRedirectShop(app, 'subscription');
  await buyOnPage(app, shop, 'subscription');
  const intent = app.stripe.sent.findLast(({ path }) => path === '/v1/payment_intents')?.fields;
  const online = { ip_address: expect.stringMatching(/./) as string, user_agent: expect.stringMatching(/./) as string };
  expect(intent).toMatchObject({
    setup_future_usage: 'off_session',
    mandate_data: { customer_acceptance: { type: 'online', online } },
  });
});

test('active: the notification comes before the payer, who then comes back twice', async () => {
  const shop = await createRedirectShop(app, 'subscription');
  const page = await buyOnPage(app, shop, 'subscription');
  app.stripe.answerAuthentication(page.pi, true);
  expect((await tell(page, 'payment_intent.succeeded')).status).toBe(200);
  await reaches(app, shop.consumer, page.id, 'active');
  expect((await page.comeBack()).status).toBe(200);
  expect((await page.comeBack()).status).toBe(200);
  expect(await access(shop)).toBe(200);
});

test('paid: the payer comes back, and no notification arrives', async () => {
  const shop = await createRedirectShop(app, 'payment');
  const page = await buyOnPage(app, shop, 'payment');
  app.stripe.answerAuthentication(page.pi, true);
  await page.comeBack();
  await settles(app, page.id, 'paid');
});

test('paid: the payer never comes back, and notifications are repeated and out of order', async () => {
  const shop = await createRedirectShop(app, 'payment');
  const page = await buyOnPage(app, shop, 'payment');
  expect((await tell(page, 'payment_intent.succeeded', 'evt_before')).status).toBe(200);
  expect(await access(shop)).toBe(402);
  app.stripe.answerAuthentication(page.pi, true);
  const same = `evt_${page.pi}`;
  for (const [type, id] of [
    ['payment_intent.succeeded', same],
    ['payment_intent.succeeded', same],
    ['payment_intent.requires_action', undefined],
    ['payment_intent.processing', undefined],
    ['payment_intent.payment_failed', undefined],
  ] as const)
    expect((await tell(page, type, id)).status).toBe(200);
  await settles(app, page.id, 'paid');
  expect(await access(shop)).toBe(200);
  const { rows } = await app.pool.query(`SELECT 1 FROM events WHERE dedupe_key = $1`, [`${page.id}:success`]);
  expect(rows).toHaveLength(1);
});

test('failed: the payer cancels at the bank', async () => {
  const shop = await createRedirectShop(app, 'payment');
  const page = await buyOnPage(app, shop, 'payment', { payment_method: 'bancontact' });
  app.stripe.answerAuthentication(page.pi, false);
  await tell(page, 'payment_intent.payment_failed');
  await settles(app, page.id, 'failed');
  expect(await access(shop)).toBe(402);
});

test('incomplete_expired: the payer abandons the page, and nobody can pay there any more', async () => {
  const shop = await createRedirectShop(app, 'subscription');
  const page = await buyOnPage(app, shop, 'subscription');
  await passDays(app, shop.merchant, 2);
  await reaches(app, shop.consumer, page.id, 'incomplete_expired');
  expect(app.stripe.intents.get(page.pi)?.status).toBe('canceled');
});

test('active: the payer pays in the moment in which the page is given up', async () => {
  const shop = await createRedirectShop(app, 'subscription');
  const page = await buyOnPage(app, shop, 'subscription');
  app.stripe.beforeCancel(() => app.stripe.answerAuthentication(page.pi, true));
  await passDays(app, shop.merchant, 2);
  await reaches(app, shop.consumer, page.id, 'active');
});

test('paid: the mandate of the first payment pays for the next period', async () => {
  const shop = await createRedirectShop(app, 'subscription');
  const page = await buyOnPage(app, shop, 'subscription');
  app.stripe.answerAuthentication(page.pi, true);
  await tell(page, 'payment_intent.succeeded');
  await reaches(app, shop.consumer, page.id, 'active');
  await passDays(app, shop.merchant, 33);
  await charged(app, page.id, 'processing', '2:1');
  const sent = app.stripe.sent.findLast(({ path }) => path === '/v1/payment_intents')?.fields;
  expect(sent).toMatchObject({ allowed_payment_method_types: ['sepa_debit'], off_session: 'true' });
  app.stripe.decideDebits();
  const { rows } = await app.pool.query<{ reference: string }>(
    'SELECT reference FROM charges WHERE idempotency_key = $1',
    [`${page.id}:2:1`],
  );
  await notify(app, { type: 'payment_intent.succeeded', object: { id: rows[0]?.reference } });
  await charged(app, page.id, 'paid', '2:1');
});

test('past_due: a payment that has made no mandate cannot renew, and the next card pays', async () => {
  const shop = await createRedirectShop(app, 'subscription');
  const page = await buyOnPage(app, shop, 'subscription');
  Object.assign(app.stripe.intents.get(page.pi) ?? {}, { saves: false });
  app.stripe.answerAuthentication(page.pi, true);
  await tell(page, 'payment_intent.succeeded');
  await reaches(app, shop.consumer, page.id, 'active');
  const before = app.stripe.sent.length;
  await passDays(app, shop.merchant, 33);
  await reaches(app, shop.consumer, page.id, 'past_due');
  expect(app.stripe.sent.slice(before).filter(({ path }) => path === '/v1/payment_intents')).toEqual([]);
  const { rows } = await app.pool.query<{ decline_reason: string }>(
    'SELECT decline_reason FROM charges WHERE idempotency_key = $1',
    [`${page.id}:2:1`],
  );
  expect(rows).toEqual([{ decline_reason: 'card_needed' }]);
  const body = { number: '4242424242424242', card_name: 'Ana', exp_month: '2', exp_year: '2040', cvv: '123' };
  await call(app, 'PUT', '/v2/payments/cards/default', { ...body, currency_iso: 'EUR' }, shop.consumer);
  await reaches(app, shop.consumer, page.id, 'active');
});

test('paid: a first period by PayPal makes the agreement, which pays for the next one without a page or a mandate', async () => {
  const shop = await createRedirectShop(app, 'subscription', { currency: 'USD' });
  const page = await buyOnPage(app, shop, 'subscription', { payment_method: 'paypal' });
  const first = app.stripe.sent.findLast(({ path }) => path === '/v1/payment_intents')?.fields;
  expect(first).toMatchObject({ allowed_payment_method_types: ['paypal'], setup_future_usage: 'off_session' });
  app.stripe.answerAuthentication(page.pi, true);
  await tell(page, 'payment_intent.succeeded');
  await reaches(app, shop.consumer, page.id, 'active');
  await passDays(app, shop.merchant, 33);
  await charged(app, page.id, 'paid', '2:1');
  const renewal = app.stripe.sent.findLast(({ path }) => path === '/v1/payment_intents')?.fields;
  expect(renewal).toMatchObject({ allowed_payment_method_types: ['paypal'], off_session: 'true', currency: 'usd' });
  expect(renewal?.['payment_method']).toBe(first?.['payment_method']);
});

test('paid: a one-time payment by PayPal asks for no later payments', async () => {
  const shop = await createRedirectShop(app, 'payment');
  const page = await buyOnPage(app, shop, 'payment', { payment_method: 'paypal' });
  const intent = app.stripe.sent.findLast(({ path }) => path === '/v1/payment_intents')?.fields;
  expect(intent).not.toHaveProperty('setup_future_usage');
  app.stripe.answerAuthentication(page.pi, true);
  await tell(page, 'payment_intent.succeeded');
  await settles(app, page.id, 'paid');
});

test('402 provider_misconfigured: the account at Stripe has not activated the method', async () => {
  const shop = await createRedirectShop(app, 'payment');
  app.stripe.refuse('/v1/payment_methods', 400, { type: 'invalid_request_error', message: 'Not activated.' });
  const body = { item_id: shop.item.id, access_fee_id: shop.fee.id, payment_method: 'ideal' };
  const reply = await call(app, 'POST', '/v2/payments', body, shop.consumer);
  app.stripe.mend();
  expect(reply.body).toMatchObject({ error: 'provider_misconfigured' });
});
