import { call, listen } from '../../support/client';
import { cards, createConsumer, createItem, purchase, subscribe, type Shop } from '../../support/factories';
import {
  createPayShop,
  findPaymentFaults,
  paid,
  pay,
  payWithAuthentication,
  settles,
  withFee,
  type SubmittedPayment,
} from '../../support/payments';
import { subscribeWithAuthentication } from '../../support/payer';
import { startApp, type TestApp } from '../../support/startApp';
import { until } from '../../support/until';
import { queryBooks } from '../../support/providerBooks';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

const dayMs = 86_400_000;
const accessOf = (shop: Shop) =>
  call<{ expires_at: number }>(app, 'GET', `/items/${shop.item.id}/access`, undefined, shop.consumer);

/** Lets a submission count as another one than the last. */
const ageOf = (token: string) =>
  app.pool.query(
    `UPDATE payments SET created_at = created_at - interval '1 minute', updated_at = updated_at - interval '1 minute'
     WHERE token = $1`,
    [token],
  );

describe('submitted, and decided by its workflow', () => {
  test.each(['/payments', '/v2/payments'])('200: at %s', async (path) => {
    const shop = await createPayShop(app);
    const { status, body } = await call<SubmittedPayment>(app, 'POST', path, purchase(shop), shop.consumer);
    expect([status, body]).toMatchObject([200, { code: 200, message: 'Submitted for payment', status: 'incomplete' }]);
    expect(body.transaction).toMatch(/^C-\w{22}-SB$/);
    await settles(app, body.transaction, 'paid');
    expect(await findPaymentFaults(app.pool, body.transaction)).toEqual([]);
  });

  test('payment.card.success: after the access, with the amounts as text', async () => {
    const shop = await createPayShop(app, { setup_fee_amount: '1.00', setup_fee_description: 'Once' });
    const channel = await listen(app, shop.consumer);
    const { body } = await pay(app, shop);
    const { resource } = await channel.hears('payment.card.success');
    expect(channel.heard.map(({ type }) => type)).toEqual(['access.granted', 'payment.card.success']);
    expect(resource).toMatchObject({
      code: 200,
      status: 'success',
      transaction: body.transaction,
      item_id: shop.item.id,
      access_fee_id: shop.fee.id,
      customer_id: shop.consumer.id,
      email: shop.consumer.email,
      amount: '5.50',
      full_amount: '5.50',
      currency_iso: 'EUR',
      formatted_amount: '€5.50',
      next_rebill_date: 0,
    });
    await channel.close();
    const { body: access } = await accessOf(shop);
    const hours = (access.expires_at * 1000 - Date.now()) / 3_600_000;
    expect([hours > 47.9, hours <= 48]).toEqual([true, true]);
  });

  test('200: the receipt is mailed', async () => {
    const shop = await createPayShop(app);
    const token = await paid(app, shop);
    const { body } = await call<{ collection: { text: string }[] }>(
      app,
      'GET',
      `/test-mailbox?to=${shop.consumer.email}`,
      undefined,
      shop.merchant,
    );
    expect(body.collection[0]?.text).toMatch(new RegExp(`Two days[^]*€4\\.50[^]*${token}`));
    const day = { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' } as const;
    expect(body.collection[0]?.text).toContain(new Date().toLocaleDateString('en-GB', day));
  });

  test('200: a price of zero needs no card, and charges none', async () => {
    const shop = await createPayShop(app, { amount: '0' });
    const { body } = await call<SubmittedPayment>(app, 'POST', '/payments', { access_fee: shop.fee.id }, shop.consumer);
    await settles(app, body.transaction, 'paid');
    expect(await findPaymentFaults(app.pool, body.transaction)).toEqual([]);
    expect((await accessOf(shop)).status).toBe(200);
  });

  test('200: the default card pays when none is typed', async () => {
    const shop = await createPayShop(app);
    const first = await paid(app, shop);
    await ageOf(first);
    const { body } = await call<SubmittedPayment>(app, 'POST', '/payments', { access_fee: shop.fee.id }, shop.consumer);
    await settles(app, body.transaction, 'paid');
    expect(body.transaction).not.toBe(first);
    expect(await findPaymentFaults(app.pool, body.transaction)).toEqual([]);
  });
});

describe('access', () => {
  test('access.granted: is added to what runs already, by any number of payments at once', async () => {
    const shop = await createPayShop(app);
    const others = await Promise.all(
      [1, 2, 3].map(() => withFee(app, shop, { access_type: 'ppv', quantity: 2, period: 'day', amount: '4.50' })),
    );
    const startedAt = Date.now();
    await Promise.all([shop, ...others].map((each) => paid(app, each)));
    const days = ((await accessOf(shop)).body.expires_at * 1000 - startedAt) / dayMs;
    expect(Math.round(days)).toBe(8);
  });

  test('access.granted: of ppv_custom ends at the fee’s date, and never before what runs already', async () => {
    const until = Math.floor((Date.now() + 3 * dayMs) / 1000);
    const shop = await createPayShop(app, { access_type: 'ppv_custom', expires_at: until });
    await paid(app, shop);
    expect((await accessOf(shop)).body.expires_at).toBe(until);
    const longer = await withFee(app, shop, { access_type: 'ppv', quantity: 1, period: 'year' });
    await paid(app, longer);
    expect((await accessOf(shop)).body.expires_at).toBeGreaterThan(until + 300 * 86_400);
  });

  test('409 already_has_access: a fixed date that the buyer has reached already', async () => {
    const shop = await createPayShop(app, { access_type: 'ppv_custom', expires_at: '2037-01-01' });
    await ageOf(await paid(app, shop));
    expect(await pay(app, shop)).toMatchObject({ status: 409, body: { error: 'already_has_access' } });
  });
});

describe('declined', () => {
  test.each([
    [cards.declined, 'Your card was declined.'],
    [cards.insufficientFunds, 'Your card has insufficient funds.'],
    [cards.expired, 'Your card has expired.'],
  ])('payment.card.failed: the card %s: no access, and the reason', async (number, message) => {
    const shop = await createPayShop(app);
    const channel = await listen(app, shop.consumer);
    const { body } = await pay(app, shop, number);
    const { resource } = await channel.hears('payment.card.failed');
    expect(resource).toMatchObject({ code: 422, message, account_id: shop.consumer.id, access_fee_id: shop.fee.id });
    await channel.close();
    expect(await findPaymentFaults(app.pool, body.transaction)).toEqual([]);
    expect((await accessOf(shop)).status).toBe(402);
  });

  test('200: another card may try at once', async () => {
    const shop = await createPayShop(app);
    const { body } = await pay(app, shop, cards.declined);
    await settles(app, body.transaction, 'failed');
    const token = await paid(app, shop);
    expect(token).not.toBe(body.transaction);
  });
});

describe('a provider that does not answer', () => {
  test.each([cards.timeoutBeforeCharging, cards.timeoutAfterCharging])(
    'payment.card.success: %s is charged once',
    async (number) => {
      const token = await paid(app, await createPayShop(app), number);
      expect(await findPaymentFaults(app.pool, token)).toEqual([]);
    },
  );
});

describe('an authentication', () => {
  test.each([
    ['approved', 'paid'],
    ['refused', 'failed'],
  ] as const)('%s: the payment is %s', async (answer, state) => {
    const shop = await createPayShop(app);
    const authentication = await payWithAuthentication(app, shop);
    await authentication.answer(answer);
    await settles(app, authentication.id, state);
    expect(await findPaymentFaults(app.pool, authentication.id)).toEqual([]);
  });

  test('200: the browser comes back to return_url with payment_intent and ippwat, and the app sends pi_id', async () => {
    const shop = await createPayShop(app);
    const back = 'https://news.example.org/read?a=1';
    const authentication = await payWithAuthentication(app, shop, { return_url: back });
    const { status, headers } = await authentication.answer('approved');
    expect([status, headers.get('location')]).toEqual([
      303,
      `https://news.example.org/read?a=1&ippwat=ppv&payment_intent=${authentication.pi}`,
    ]);
    const confirmed = await call(app, 'POST', '/payments', { pi_id: authentication.pi }, shop.consumer);
    expect(confirmed).toMatchObject({ status: 200, body: { transaction: authentication.id } });
    await settles(app, authentication.id, 'paid');
  });

  test('200: pi_id of a subscription is taken here too, as J sends it', async () => {
    const payShop = await createPayShop(app);
    const shop = await withFee(app, payShop, { access_type: 'subscription', quantity: 1, period: 'month' });
    const { id, pi, answer } = await subscribeWithAuthentication(app, shop);
    const confirmed = await call(app, 'POST', '/payments', { pi_id: pi }, shop.consumer);
    expect(confirmed).toMatchObject({ status: 200, body: { transaction: id, status: 'incomplete' } });
    await answer('refused');
  });

  test('404 payment_not_found: pi_id of another account, or of a payment at /subscriptions', async () => {
    const shop = await createPayShop(app);
    const { pi, answer } = await payWithAuthentication(app, shop);
    const stranger = await createConsumer(app, shop.merchant);
    const expected = { status: 404, body: { error: 'payment_not_found' } };
    expect(await call(app, 'POST', '/payments', { pi_id: pi }, stranger)).toMatchObject(expected);
    expect(await call(app, 'POST', '/subscriptions', { pi_id: pi }, shop.consumer)).toMatchObject(expected);
    await answer('refused');
  });

  test('payment.card.requires.action: submitted once more while it waits, the app is told again where to send the payer', async () => {
    const shop = await createPayShop(app);
    const { id, pi, answer } = await payWithAuthentication(app, shop);
    const channel = await listen(app, shop.consumer);
    expect((await pay(app, shop)).body.transaction).toBe(id);
    const { resource } = await channel.hears('payment.card.requires.action');
    expect(resource['pi_id']).toBe(pi);
    await channel.close();
    await answer('approved');
    await settles(app, id, 'paid');
    expect(await findPaymentFaults(app.pool, id)).toEqual([]);
  });
});

describe('an authentication that the payer has left behind', () => {
  test('payment.card.failed: is given up for another card, which pays', async () => {
    const shop = await createPayShop(app);
    const { id, answer } = await payWithAuthentication(app, shop);
    await ageOf(id);
    const token = await paid(app, shop);
    expect(token).not.toBe(id);
    await answer('approved');
    expect([await findPaymentFaults(app.pool, id), await findPaymentFaults(app.pool, token)]).toEqual([[], []]);
  });

  test('payment.card.success: one that is approved at the same time is the purchase', async () => {
    const shop = await createPayShop(app);
    const { id, answer } = await payWithAuthentication(app, shop);
    await ageOf(id);
    const [{ body }] = await Promise.all([pay(app, shop), answer('approved')]);
    const others = 'SELECT token FROM payments WHERE account_id = $1';
    const { rows } = await app.pool.query<{ token: string }>(others, [shop.consumer.id]);
    for (const { token } of rows) await until(async () => (await findPaymentFaults(app.pool, token)).length === 0);
    const { rows: states } = await app.pool.query<{ paid: number }>(
      `SELECT count(*)::int AS paid FROM payments WHERE account_id = $1 AND state = 'paid'`,
      [shop.consumer.id],
    );
    expect([states, rows.map(({ token }) => token)]).toEqual([
      [{ paid: 1 }],
      expect.arrayContaining([body.transaction]),
    ]);
  });

  test('200: without another card its payer is asked again', async () => {
    const shop = await createPayShop(app);
    const { id, answer } = await payWithAuthentication(app, shop);
    await ageOf(id);
    const again = await call<SubmittedPayment>(app, 'POST', '/payments', { access_fee: shop.fee.id }, shop.consumer);
    expect(again.body.transaction).toBe(id);
    await answer('refused');
  });
});

describe('the same payment', () => {
  test('200: submitted 50 times at once: one payment, one charge, and all hear of it', async () => {
    const shop = await createPayShop(app);
    const replies = await Promise.all(Array.from({ length: 50 }, () => pay(app, shop)));
    const tokens = new Set(replies.map(({ body }) => body.transaction));
    expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 50 }, () => 200));
    const [token = ''] = tokens;
    expect(tokens.size).toBe(1);
    await settles(app, token, 'paid');
    expect(await findPaymentFaults(app.pool, token)).toEqual([]);
    const text = `SELECT count(*)::int AS charged FROM sandbox_charges c JOIN cards ON cards.token = c.token WHERE cards.account_id = $1`;
    expect((await queryBooks(app.pool, text, [shop.consumer.id])).rows).toEqual([{ charged: 1 }]);
  });

  test('200: after a while is another one, and so is one with a key of its own', async () => {
    const shop = await createPayShop(app);
    const first = await paid(app, shop);
    expect((await pay(app, shop)).body.transaction).toBe(first);
    const keyed = await call<SubmittedPayment>(app, 'POST', '/payments', purchase(shop), {
      token: shop.consumer.token,
      headers: { 'Idempotency-Key': 'another' },
    });
    await settles(app, keyed.body.transaction, 'paid');
    await Promise.all([first, keyed.body.transaction].map(ageOf));
    expect(new Set([first, keyed.body.transaction, await paid(app, shop)]).size).toBe(3);
  });
});

describe('gifts', () => {
  const receiver = 'friend@example.org';

  test('200: give the buyer no access, and say so', async () => {
    const shop = await createPayShop(app);
    const token = await paid(app, shop, cards.success, { is_gift: true, receiver_email: receiver });
    expect(await findPaymentFaults(app.pool, token)).toEqual([]);
    expect((await accessOf(shop)).status).toBe(402);
  });

  test('200: to two friends are two payments', async () => {
    const shop = await createPayShop(app);
    const tokens = await Promise.all(
      [receiver, 'other@example.org'].map((to) =>
        paid(app, shop, cards.success, { is_gift: true, receiver_email: to }),
      ),
    );
    expect(new Set(tokens).size).toBe(2);
  });

  test('400 missing_parameter: without receiver_email', async () => {
    const shop = await createPayShop(app);
    const reply = await pay(app, shop, cards.success, { is_gift: true });
    expect(reply).toMatchObject({ status: 400, body: { errors: { receiver_email: expect.any(String) as string } } });
  });
});

describe('what is refused at once', () => {
  test('400 missing_parameter: no fee, or no card while there is something to pay', async () => {
    const shop = await createPayShop(app);
    const noFee = await call(app, 'POST', '/payments', {}, shop.consumer);
    expect(noFee).toMatchObject({ status: 400, body: { errors: { access_fee: expect.any(String) as string } } });
    const noCard = await call(app, 'POST', '/payments', { access_fee: shop.fee.id }, shop.consumer);
    expect(noCard).toMatchObject({ status: 400, body: { errors: { number: expect.any(String) as string } } });
  });

  test('409 price_changed: more is due than the payer was told', async () => {
    const reply = await pay(app, await createPayShop(app), cards.success, { expected_amount: '0' });
    expect(reply).toMatchObject({ status: 409, body: { error: 'price_changed' } });
  });

  test('404 access_fee_not_found: of another merchant', async () => {
    const [shop, stranger] = [await createPayShop(app), await createPayShop(app)];
    const reply = await pay(app, { ...shop, fee: stranger.fee });
    expect(reply).toMatchObject({ status: 404, body: { error: 'access_fee_not_found', message: 'Fee not found' } });
  });

  test('404 voucher_not_found: an unknown code', async () => {
    const reply = await pay(app, await createPayShop(app), cards.success, { voucher_code: 'NOTHING-LIKE-IT' });
    expect(reply).toMatchObject({ status: 404, body: { error: 'voucher_not_found', message: 'Voucher not found' } });
  });

  test('422 invalid_input: a fee of a subscription', async () => {
    const shop = await withFee(app, await createPayShop(app), { access_type: 'subscription' });
    expect(await pay(app, shop)).toMatchObject({ status: 422, body: { error: 'invalid_input' } });
    const { body } = await subscribe(app, shop);
    expect(body.status).toBe('incomplete');
  });

  test('422 invalid_input: an item of a kind that is paid for once is no subscription', async () => {
    const shop = await createPayShop(app);
    const item = await createItem(app, shop.merchant);
    const other = await withFee(app, { ...shop, item }, { access_type: 'ppv' });
    expect(await call(app, 'POST', '/subscriptions', purchase(other), shop.consumer)).toMatchObject({ status: 422 });
  });
});
