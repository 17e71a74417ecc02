import { call, type Reply } from '../support/client';
import { cards, createShop, reaches, type Shop, type Submitted } from '../support/factories';
import { type ErrorBody } from '../support/raw';
import { createPaymentMethod, createPaymentToken, formSettings } from '../support/stripeForm';
import { intentOf, notify, startStripeApp, type StripeApp } from '../support/stripeNotifications';
import { passDays } from '../support/testClock';
import { until } from '../support/until';

/** The tokens of Stripe's form in the browser: what they pay, and what happens to those that cannot. */

let app: StripeApp;
beforeAll(async () => (app = await startStripeApp(formSettings)));
afterAll(() => app.stop());
afterEach(() => app.stripe.mend());

const trial = { trial_period_quantity: 7, trial_period_period: 'day' };

type Answer = Reply<Submitted & ErrorBody>;

const subscribeBy = ({ consumer, fee }: Shop, payment_token: string, more: object = {}): Promise<Answer> =>
  call(app, 'POST', '/subscriptions', { access_fee: fee.id, payment_token, ...more }, consumer);

async function subscribeWith(shop: Shop, number: string = cards.success, more: object = {}): Promise<Answer> {
  return subscribeBy(shop, await createPaymentToken(app.stripe, { number }), more);
}

const intents = () => [...app.stripe.intents.values()];
const cardsOf = async ({ consumer }: Shop) => {
  const text = 'SELECT token, is_single_use AS "isSingleUse" FROM cards WHERE account_id = $1 ORDER BY id';
  return (await app.pool.query<{ token: string; isSingleUse: boolean }>(text, [consumer.id])).rows;
};
const setupOf = async ({ consumer }: Shop) => {
  const text = 'SELECT reference FROM card_setups WHERE account_id = $1';
  return (await app.pool.query<{ reference: string }>(text, [consumer.id])).rows[0]?.reference ?? '';
};

describe('202: a confirmation token', () => {
  test('pays the first period under the key of the charge, and its card pays the next one', async () => {
    const shop = await createShop(app);
    const { body } = await subscribeWith(shop);
    await reaches(app, shop.consumer, body.subscription_id, 'active');
    const sent = app.stripe.sent.filter(({ key }) => key === `${body.subscription_id}:1:1`);
    expect(sent).toMatchObject([{ fields: { setup_future_usage: 'off_session' } }]);
    expect(sent[0]?.fields['confirmation_token']).toMatch(/^ctoken_/);
    expect(await cardsOf(shop)).toEqual([{ token: expect.stringMatching(/\/pm_/) as string, isSingleUse: false }]);
    await passDays(app, shop.merchant, 32);
    await until(() => intents().some(({ metadata }) => metadata['paywall_charge'] === `${body.subscription_id}:2:1`));
    await reaches(app, shop.consumer, body.subscription_id, 'active');
  });

  test('pays once if the answer to the charge is lost', async () => {
    const shop = await createShop(app);
    app.stripe.fail('/v1/payment_intents', '500 after the work');
    const { body } = await subscribeWith(shop);
    await reaches(app, shop.consumer, body.subscription_id, 'active');
    expect(
      intents().filter(({ metadata }) => metadata['paywall_charge'] === `${body.subscription_id}:1:1`),
    ).toHaveLength(1);
    expect(await cardsOf(shop)).toMatchObject([{ isSingleUse: false }]);
  });

  test('leads other clients to a page of ours, where the script of Stripe continues', async () => {
    const shop = await createShop(app);
    const { body } = await subscribeWith(shop, cards.needsAuthentication, { return_url: 'https://shop.example/back' });
    const intent = await intentOf(app.stripe, body.subscription_id);
    const path = `/subscriptions/${body.subscription_id}/authentication`;
    const asked = await until(async () => {
      const answer = await call<{ redirect_to_url: string; pi_id: string }>(app, 'GET', path, undefined, shop.consumer);
      return answer.status === 200 ? answer.body : undefined;
    });
    expect(asked.pi_id).toBe(intent.id);
    const link = new URL(asked.redirect_to_url).pathname;
    expect(link).toMatch(/^\/payments\/confirm\//);
    const page = await call<string>(app, 'POST', link);
    expect(page.body).toContain(`data-secret="${intent.client_secret}"`);
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self' https://js.stripe.com");
    app.stripe.answerAuthentication(intent.id, true);
    const back = [303, `https://shop.example/back?ippwat=subscription&payment_intent=${intent.id}`];
    const done = await call(app, 'POST', link);
    expect([done.status, done.headers.get('location')]).toEqual(back);
    await reaches(app, shop.consumer, body.subscription_id, 'active');
    const late = await call(app, 'POST', link);
    expect([late.status, late.headers.get('location')]).toEqual(back);
    expect(JSON.stringify((await app.pool.query('SELECT resource FROM events')).rows)).not.toContain('_secret_');
  });

  test('that is declined leaves no card to pay with', async () => {
    const shop = await createShop(app);
    const { body } = await subscribeWith(shop, cards.declined);
    await reaches(app, shop.consumer, body.subscription_id, 'incomplete_expired');
    expect(await subscribeBy(shop, '')).toMatchObject({ status: 400 });
    const { status, body: missing } = await call<ErrorBody>(
      app,
      'POST',
      '/subscriptions',
      { access_fee: shop.fee.id },
      shop.consumer,
    );
    expect([status, missing.errors]).toEqual([400, { payment_token: 'The payment_token must not be empty.' }]);
  });
});

test('202: a payment method of an existing client pays as before, also a second time', async () => {
  const shop = await createShop(app);
  const token = await createPaymentMethod(app.stripe);
  const { body } = await subscribeBy(shop, token);
  await reaches(app, shop.consumer, body.subscription_id, 'active');
  const put = { payment_token: token, currency_iso: 'EUR' };
  expect((await call(app, 'PUT', '/v2/payments/cards/default', put, shop.consumer)).status).toBe(200);
});

describe('a total of 0', () => {
  test('202: a trial makes a setup intent only, and its card pays when the trial ends', async () => {
    const shop = await createShop(app, trial);
    const before = intents().length;
    const { body } = await subscribeWith(shop);
    await reaches(app, shop.consumer, body.subscription_id, 'trialing');
    expect(intents()).toHaveLength(before);
    expect(await cardsOf(shop)).toEqual([{ token: expect.stringMatching(/\/pm_/) as string, isSingleUse: false }]);
    await passDays(app, shop.merchant, 8);
    await reaches(app, shop.consumer, body.subscription_id, 'active');
    expect(await intentOf(app.stripe, body.subscription_id)).toMatchObject({ off_session: true, amount: 999 });
  });

  test.each([
    [true, 'trialing'],
    [false, 'incomplete_expired'],
  ] as const)('202: a trial waits for the payer; approved: %s, so it is %s', async (isApproved, state) => {
    const shop = await createShop(app, trial);
    const { body } = await subscribeWith(shop, cards.authenticatedOnce);
    const reference = await setupOf(shop);
    app.stripe.answerAuthentication(reference, isApproved);
    const type = isApproved ? 'setup_intent.succeeded' : 'setup_intent.setup_failed';
    expect((await notify(app, { type, object: { id: reference } })).status).toBe(200);
    await reaches(app, shop.consumer, body.subscription_id, state);
    expect((await notify(app, { type, object: { id: reference } })).status).toBe(200);
  });

  test('202: who has used the trial pays with the token at once', async () => {
    const shop = await createShop(app, trial);
    const first = await subscribeWith(shop);
    await reaches(app, shop.consumer, first.body.subscription_id, 'trialing');
    await call(app, 'DELETE', `/subscriptions/${first.body.subscription_id}`, { at: 'now' }, shop.consumer);
    await until(async () => {
      const { body } = await subscribeWith(shop);
      return body.subscription_id
        ? reaches(app, shop.consumer, body.subscription_id, 'active').then(() => true)
        : false;
    });
  });

  test('202: a new default card waits for the payer, and the notification of Stripe is enough', async () => {
    const shop = await createShop(app);
    const payment_token = await createPaymentToken(app.stripe, { number: cards.authenticatedOnce });
    const path = '/v2/payments/cards/default';
    const put = { payment_token, currency_iso: 'EUR' };
    const asked = await call<{ pi_id: string }>(app, 'PUT', path, put, shop.consumer);
    expect([asked.status, asked.body]).toMatchObject([202, { status: 'requires_action', number: 3155 }]);
    const reference = asked.body.pi_id;
    app.stripe.answerAuthentication(reference, true);
    await notify(app, { type: 'setup_intent.succeeded', object: { id: reference } });
    const { body } = await call(app, 'GET', path, undefined, shop.consumer);
    expect(body).toMatchObject({ cards: { EUR: { number: 3155 } } });
  });
});

describe('a token that cannot pay', () => {
  const refusalOf = async (answer: Promise<Answer>) => {
    const { status, body } = await answer;
    return [status, body.errors];
  };

  test('422: it has expired; it was used; it is of another merchant’s account', async () => {
    const shop = await createShop(app);
    const used = await createPaymentToken(app.stripe);
    await subscribeBy(await createShop(app), used);
    await until(() => [...app.stripe.sent].some(({ fields }) => fields['confirmation_token'] === used));
    expect(await refusalOf(subscribeBy(shop, used))).toEqual([
      422,
      { payment_token: 'The payment_token has been used. Enter the card again.' },
    ]);
    const expired = await createPaymentToken(app.stripe);
    app.stripe.expireTokens();
    expect(await refusalOf(subscribeBy(shop, expired))).toEqual([
      422,
      { payment_token: 'The payment_token has expired. Enter the card again.' },
    ]);
    const other = app.stripe.addAccount(`other${shop.merchant.id}`);
    const foreign = await createPaymentToken(app.stripe, { publishableKey: other.publishableKey });
    expect(await refusalOf(subscribeBy(shop, foreign))).toEqual([
      422,
      { payment_token: 'The payment_token is not known to the payment account of this shop. Enter the card again.' },
    ]);
    const { rows } = await app.pool.query('SELECT 1 FROM subscriptions WHERE account_id = $1', [shop.consumer.id]);
    expect(rows).toEqual([]);
  });

  test('subscribe.failed: it expires between the request and the charge, and nothing is charged', async () => {
    const shop = await createShop(app);
    app.stripe.fail('/v1/payment_intents', '429');
    const { body } = await subscribeWith(shop);
    app.stripe.expireTokens();
    await reaches(app, shop.consumer, body.subscription_id, 'incomplete_expired');
    const { body: row } = await call(app, 'GET', `/subscriptions/${body.subscription_id}`, undefined, shop.consumer);
    expect(row).toMatchObject({ failure_reason: 'payment_token_spent' });
  });

  test('409 price_changed: the total has grown since the form was shown, and the token can still pay', async () => {
    const shop = await createShop(app);
    const token = await createPaymentToken(app.stripe);
    const total = { amount: 9.99, currency: 'EUR' };
    expect(await subscribeBy(shop, token, { expected_amount: 5 })).toMatchObject({
      status: 409,
      body: { error: 'price_changed', total },
    });
    const { body } = await subscribeBy(shop, token, { expected_amount: 9.99, expected_currency: 'EUR' });
    await reaches(app, shop.consumer, body.subscription_id, 'active');
  });

  test.each(['hang', '500 after the work', '429'] as const)(
    '503 service_unavailable: while Stripe does “%s” nothing begins, and the same token pays afterwards',
    async (fault) => {
      const shop = await createShop(app);
      const token = await createPaymentToken(app.stripe);
      app.stripe.fail(`/v1/confirmation_tokens/${token}`, fault);
      expect(await subscribeBy(shop, token)).toMatchObject({ status: 503, body: { error: 'service_unavailable' } });
      const { body } = await subscribeBy(shop, token);
      await reaches(app, shop.consumer, body.subscription_id, 'active');
    },
  );

  test('503 service_unavailable: Stripe does not verify the card of a trial, and the same token begins it afterwards', async () => {
    const shop = await createShop(app, trial);
    const token = await createPaymentToken(app.stripe);
    app.stripe.fail('/v1/setup_intents', 'refuse before the work', 2);
    expect(await subscribeBy(shop, token)).toMatchObject({ status: 503 });
    const { body } = await subscribeBy(shop, token);
    await reaches(app, shop.consumer, body.subscription_id, 'trialing');
  });

  test('one token in two requests at once is one subscription and one charge', async () => {
    const shop = await createShop(app);
    const token = await createPaymentToken(app.stripe);
    const answers = await Promise.all([subscribeBy(shop, token), subscribeBy(shop, token)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409]);
    const [bought] = answers.filter(({ status }) => status === 202);
    await reaches(app, shop.consumer, bought?.body.subscription_id ?? '', 'active');
    expect(intents().filter(({ metadata }) => metadata['paywall_account'] === String(shop.consumer.id))).toHaveLength(
      1,
    );
  });
});
