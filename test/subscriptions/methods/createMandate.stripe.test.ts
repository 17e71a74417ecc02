import { call } from '../../support/client';
import { charged, createDebitShop, createMandate, payByDebit, subscribeByDebit } from '../../support/debits';
import { createMerchant, reaches } from '../../support/factories';
import { intentOf, notify, startStripeApp, type StripeApp } from '../../support/stripeNotifications';
import { ibanWithoutMandate, stripeIbans } from '../../support/stripeDebits';

/** Direct debits at Stripe: the banks decide when the stand-in lets them, and Stripe reports it. */

let app: StripeApp;

beforeAll(async () => (app = await startStripeApp()));

afterAll(() => app.stop());

const getMandate = (consumer: Parameters<typeof call>[4]) =>
  call(app, 'GET', '/v2/payments/direct-debit/mandate', undefined, consumer);

/** The banks decide, and Stripe reports the outcome of a purchase. */
async function decide(token: string, type: 'payment_intent.succeeded' | 'payment_intent.payment_failed') {
  app.stripe.decideDebits();
  const { id } = await intentOf(app.stripe, token);
  expect((await notify(app, { type, object: { id } })).status).toBe(200);
}

async function submitted(iban: string) {
  const shop = await createDebitShop(app, iban);
  const { body } = await subscribeByDebit(app, shop);
  const token = body.subscription_id;
  await charged(app, token, 'processing');
  return { shop, token, intent: await intentOf(app.stripe, token) };
}

test('200: Stripe gets the account, the payer and the acceptance, and the client gets the facts of the mandate', async () => {
  const { shop, intent } = await submitted(stripeIbans.paid);
  const sent = app.stripe.sent.findLast(({ path }) => path === '/v1/setup_intents')?.fields;
  expect(sent).toMatchObject({ customer: intent.customer, usage: 'off_session' });
  expect(sent?.['mandate_data']).toMatchObject({
    customer_acceptance: { type: 'online', online: { ip_address: expect.stringMatching(/./) as string } },
  });
  const { body } = await createMandate(app, shop, stripeIbans.paid);
  expect(body['type_data']).toMatchObject({
    last4: '3000',
    country: 'DE',
    mandate_reference: expect.stringMatching(/^[\dA-F]{8}$/) as string,
    mandate_url: expect.stringMatching(/^https:/) as string,
  });
});

test('subscribe.success: the notification of the submission changes nothing, the one of the payment opens access', async () => {
  const { shop, token, intent } = await submitted(stripeIbans.paid);
  const processing = { type: 'payment_intent.processing', object: { id: intent.id } };
  expect((await notify(app, processing)).status).toBe(200);
  expect((await call(app, 'GET', `/items/${shop.item.id}/access`, undefined, shop.consumer)).status).toBe(402);
  await decide(token, 'payment_intent.succeeded');
  await reaches(app, shop.consumer, token, 'active');
});

test('subscribe.failed: the debit fails days later', async () => {
  const { shop, token } = await submitted(stripeIbans.failed);
  await decide(token, 'payment_intent.payment_failed');
  await reaches(app, shop.consumer, token, 'incomplete_expired');
});

test('200: a one-time payment is paid days later', async () => {
  const ppv = { access_type: 'ppv', quantity: 60, period: 'day', amount: '4.50' };
  const shop = await createDebitShop(app, stripeIbans.paid, { fee: ppv });
  const { body } = await payByDebit(app, shop);
  await charged(app, body.transaction, 'processing');
  await decide(body.transaction, 'payment_intent.succeeded');
  await charged(app, body.transaction, 'paid');
});

test('revoked: the payer takes the first debit back, which Stripe reports as a dispute', async () => {
  const { shop, token, intent } = await submitted(stripeIbans.returned);
  await decide(token, 'payment_intent.succeeded');
  await reaches(app, shop.consumer, token, 'active');
  const dispute = { id: 'dp_1', status: 'lost', payment_intent: intent.id, amount: 999, currency: 'eur' };
  await notify(app, { type: 'charge.dispute.created', object: dispute });
  await notify(app, { type: 'charge.dispute.closed', object: dispute });
  await reaches(app, shop.consumer, token, 'revoked');
});

test('422: an IBAN that Stripe refuses is the fault of its field', async () => {
  const shop = await createDebitShop(app, stripeIbans.paid);
  app.stripe.refuse('/v1/payment_methods', 400, {
    type: 'invalid_request_error',
    param: 'sepa_debit[iban]',
    message: 'The IBAN you provided is invalid.',
  });
  const reply = await createMandate(app, shop, stripeIbans.paid);
  app.stripe.mend();
  expect(reply).toMatchObject({ status: 422, body: { errors: { iban: 'The IBAN you provided is invalid.' } } });
});

test('402 provider_misconfigured: the account of the merchant cannot make direct debits', async () => {
  const shop = await createDebitShop(app, stripeIbans.paid);
  app.stripe.refuse('/v1/setup_intents', 400, {
    type: 'invalid_request_error',
    code: 'payment_intent_invalid_parameter',
    message: 'The payment method type "sepa_debit" is invalid.',
  });
  const reply = await createMandate(app, shop, stripeIbans.paid);
  app.stripe.mend();
  expect(reply).toMatchObject({ status: 402, body: { error: 'provider_misconfigured' } });
});

describe('a mandate that has ended', () => {
  const end = async (intentMethod: string | null, status = 'inactive') => {
    const object = { id: 'mandate_1', status, payment_method: intentMethod };
    expect((await notify(app, { type: 'mandate.updated', object })).status).toBe(200);
  };

  test('404: it pays for no later purchase', async () => {
    const { shop, intent } = await submitted(stripeIbans.paid);
    await end(intent.payment_method, 'active');
    expect((await getMandate(shop.consumer)).status).toBe(200);
    await end(`other_${intent.payment_method}`);
    expect((await getMandate(shop.consumer)).status).toBe(200);
    await end(intent.payment_method);
    expect(await getMandate(shop.consumer)).toMatchObject({ status: 404, body: { error: 'mandate_not_found' } });
    await createMandate(app, shop, stripeIbans.paid);
    expect((await getMandate(shop.consumer)).status).toBe(200);
  });

  test('subscribe.failed: Stripe refuses the debit', async () => {
    const shop = await createDebitShop(app, ibanWithoutMandate);
    const { body } = await subscribeByDebit(app, shop);
    await reaches(app, shop.consumer, body.subscription_id, 'incomplete_expired');
  });
});

test('200: a merchant on Stripe can offer direct debits', async () => {
  const merchant = await createMerchant(app);
  const reply = await call(app, 'PUT', '/accounts/settings', { payment_methods: ['card', 'direct_debit'] }, merchant);
  expect(reply).toMatchObject({ status: 200, body: { payment_methods: ['card', 'direct_debit'] } });
});
