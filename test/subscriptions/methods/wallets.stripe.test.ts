import { call } from '../../support/client';
import { createPayShop, settles, type SubmittedPayment } from '../../support/payments';
import { type Shop } from '../../support/factories';
import { formSettings } from '../../support/stripeForm';
import { intentOf, notify, startStripeApp, type StripeApp } from '../../support/stripeNotifications';
import { until } from '../../support/until';

/** The wallets of existing clients at Stripe: the payer opens the wallet on a page of ours. */

let app: StripeApp;

beforeAll(async () => (app = await startStripeApp(formSettings)));

afterAll(() => app.stop());

const referrer = 'https://shop.example.org/film';

async function openShop(): Promise<Shop> {
  const shop = await createPayShop(app);
  await call(app, 'PUT', '/accounts/settings', { payment_methods: ['card', 'google_pay'] }, shop.merchant);
  return shop;
}

/** Buys, and waits for the page of the event. */
async function begin(shop: Shop) {
  const fields = { access_fee_id: shop.fee.id, payment_method: 'google pay on web', referrer };
  const { body } = await call<SubmittedPayment>(app, 'POST', '/v2/payments', fields, shop.consumer);
  const intent = await intentOf(app.stripe, body.transaction);
  const { rows } = await until(async () => {
    const found = await app.pool.query<{ url: string }>(
      `SELECT redirect_url AS url FROM charges WHERE reference = $1 AND status = 'requires_action'`,
      [intent.id],
    );
    return found.rows.length > 0 ? found : undefined;
  });
  return { id: body.transaction, intent, path: new URL(rows[0]?.url ?? '').pathname };
}

/** An equal purchase within seconds is a double click. */
const passDoubleClick = (token: string) =>
  app.pool.query(`UPDATE payments SET created_at = created_at - interval '1 hour' WHERE token = $1`, [token]);

test('200: the intent has no card, and the page opens the wallet with the secret of the intent', async () => {
  const { id, intent, path } = await begin(await openShop());
  const sent = app.stripe.sent.find(({ key }) => key === id)?.fields;
  expect(sent).toMatchObject({ allowed_payment_method_types: ['card'], currency: 'eur' });
  for (const name of ['confirm', 'payment_method', 'confirmation_token', 'return_url'])
    expect(sent).not.toHaveProperty(name);
  expect(path).toMatch(/^\/payments\/confirm\//);
  const asked = await call<string>(app, 'GET', path);
  expect(asked.body).toContain('Google Pay');
  const page = await call<string>(app, 'POST', path);
  expect(page.body).toContain(`data-secret="${intent.client_secret}"`);
  expect(page.body).toContain('data-payment-wallet="stripe"');
  expect(page.headers.get('content-security-policy')).toContain('https://js.stripe.com');
});

test('paid: the payer pays on the page, which leads back to the page of the purchase', async () => {
  const { id, intent, path } = await begin(await openShop());
  app.stripe.payByWallet(intent.id, true);
  const done = await call(app, 'POST', path);
  expect([done.status, done.headers.get('location')]).toEqual([
    303,
    `${referrer}?ippwat=ppv&payment_intent=${intent.id}`,
  ]);
  await settles(app, id, 'paid');
});

test('paid: the payer closes the page after the payment, and the notification settles it once', async () => {
  const { id, intent } = await begin(await openShop());
  app.stripe.payByWallet(intent.id, true);
  for (let times = 0; times < 2; times++) {
    const told = await notify(app, { type: 'payment_intent.succeeded', object: { id: intent.id } });
    expect(told.status).toBe(200);
  }
  await settles(app, id, 'paid');
});

test('paid: a declined card of the wallet leaves the page open for another one', async () => {
  const { id, intent, path } = await begin(await openShop());
  app.stripe.payByWallet(intent.id, false);
  await notify(app, { type: 'payment_intent.payment_failed', object: { id: intent.id } });
  const again = await call<string>(app, 'POST', path);
  expect(again.body).toContain(`data-secret="${intent.client_secret}"`);
  app.stripe.payByWallet(intent.id, true);
  await call(app, 'POST', path);
  await settles(app, id, 'paid');
});

test('paid: a card that needs an authentication leaves the page open, and the service confirms nothing itself', async () => {
  const { id, intent, path } = await begin(await openShop());
  app.stripe.payByWallet(intent.id, false, 'authentication_required');
  await notify(app, { type: 'payment_intent.payment_failed', object: { id: intent.id } });
  const again = await call<string>(app, 'POST', path);
  expect(again.body).toContain(`data-secret="${intent.client_secret}"`);
  expect(app.stripe.sent.filter((one) => one.path === `/v1/payment_intents/${intent.id}/confirm`)).toEqual([]);
  app.stripe.payByWallet(intent.id, true);
  await call(app, 'POST', path);
  await settles(app, id, 'paid');
});

test('paid once: the answer to the charge is lost', async () => {
  const shop = await openShop();
  app.stripe.fail('/v1/payment_intents', '500 after the work');
  const { id, intent, path } = await begin(shop);
  app.stripe.payByWallet(intent.id, true);
  await call(app, 'POST', path);
  await settles(app, id, 'paid');
  const own = [...app.stripe.intents.values()].filter(({ metadata }) => metadata['paywall_charge'] === id);
  expect(own).toHaveLength(1);
});

test('failed: another purchase replaces a wallet that was left, which can then take no money', async () => {
  const shop = await openShop();
  const { id, intent } = await begin(shop);
  await passDoubleClick(id);
  const second = await begin(shop);
  await settles(app, id, 'failed');
  expect(app.stripe.intents.get(intent.id)?.status).toBe('canceled');
  app.stripe.payByWallet(second.intent.id, true);
  await call(app, 'POST', second.path);
  await settles(app, second.id, 'paid');
});
