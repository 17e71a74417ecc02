import { call, listen } from '../../support/client';
import { createMerchant, reaches, subscribe, type Shop } from '../../support/factories';
import {
  createPayShop,
  findPaymentFaults,
  paid,
  refund,
  refundCards,
  refunded,
  settles,
  withFee,
} from '../../support/payments';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

const hasAccess = async ({ item, consumer }: Shop) =>
  (await call(app, 'GET', `/items/${item.id}/access`, undefined, consumer)).status === 200;

describe('promised, and done by its workflow', () => {
  test('payment.refund.success: the whole payment; the access stays', async () => {
    const shop = await createPayShop(app);
    const token = await paid(app, shop);
    const channel = await listen(app, shop.consumer);
    const { status, body } = await refund(app, shop.merchant, token);
    expect([status, body]).toMatchObject([200, { code: 200, message: 'Submitted for refund' }]);
    const { resource } = await channel.hears('payment.refund.success');
    expect(resource).toMatchObject({
      status: 'success',
      transaction: token,
      trx_token: token,
      amount: '4.50',
      formatted_amount: '€4.50',
      is_partial: false,
    });
    await channel.close();
    expect(await findPaymentFaults(app.pool, token)).toEqual([]);
    expect(await hasAccess(shop)).toBe(true);
  });

  test('access.revoked: before the event of the refund, where the access is to end', async () => {
    const shop = await createPayShop(app);
    const token = await paid(app, shop);
    const channel = await listen(app, shop.consumer);
    await refund(app, shop.merchant, token, { revoke_access: true });
    await channel.hears('payment.refund.success');
    expect(channel.heard.map(({ type }) => type)).toEqual(['access.revoked', 'payment.refund.success']);
    expect(channel.heard[0]?.resource).toEqual({ item_id: shop.item.id, package_collection: [] });
    await channel.close();
    expect(await hasAccess(shop)).toBe(false);
  });

  test('200: in parts, down to nothing', async () => {
    const shop = await createPayShop(app);
    const token = await paid(app, shop);
    await refund(app, shop.merchant, token, { amount: '1.50' });
    await refund(app, shop.merchant, token, { amount: '2.00' });
    await refund(app, shop.merchant, token);
    const rows = await refunded(app, token, 3);
    expect(rows.map(({ amount }) => amount).sort()).toEqual([100, 150, 200]);
    expect(await findPaymentFaults(app.pool, token)).toEqual([]);
    expect(await refund(app, shop.merchant, token)).toMatchObject({
      status: 409,
      body: { error: 'nothing_to_refund' },
    });
  });

  test('200: a charge of a subscription, by its own token', async () => {
    const shop = await withFee(app, await createPayShop(app), { access_type: 'subscription', amount: '9.99' });
    const { body } = await subscribe(app, shop);
    await reaches(app, shop.consumer, body.subscription_id, 'active');
    const trxToken = `${body.subscription_id}-1-1`;
    expect((await refund(app, shop.merchant, trxToken, { amount: 3 })).status).toBe(200);
    expect(await refunded(app, trxToken)).toMatchObject([{ amount: 300 }]);
  });

  test('200: with revoke_access the subscription ends at once, by its own workflow', async () => {
    const shop = await withFee(app, await createPayShop(app), { access_type: 'subscription', amount: '9.99' });
    const { body } = await subscribe(app, shop);
    await reaches(app, shop.consumer, body.subscription_id, 'active');
    await refund(app, shop.merchant, `${body.subscription_id}-1-1`, { revoke_access: true });
    await reaches(app, shop.consumer, body.subscription_id, 'revoked');
    expect(await hasAccess(shop)).toBe(false);
  });

  test('200: the customer is told by mail, and the log tells who did it', async () => {
    const shop = await createPayShop(app);
    const token = await paid(app, shop);
    await refund(app, shop.merchant, token);
    await refunded(app, token);
    const mails = await call<{ collection: { subject: string; text: string }[] }>(
      app,
      'GET',
      `/test-mailbox?to=${shop.consumer.email}`,
      undefined,
      shop.merchant,
    );
    expect(mails.body.collection[0]?.subject).toMatch(/^Your refund/);
    expect(mails.body.collection[0]?.text).toContain('€4.50');
    const log = await call<{ collection: object[] }>(
      app,
      'GET',
      '/audit?action=payment.refund',
      undefined,
      shop.merchant,
    );
    expect(log.body.collection).toMatchObject([{ actor_account_id: shop.merchant.id, object_type: 'refund' }]);
  });
});

describe('access that was bought to follow on other access', () => {
  const endOf = async (shop: Shop) => {
    const { body } = await call<{ expires_at: number }>(
      app,
      'GET',
      `/items/${shop.item.id}/access`,
      undefined,
      shop.consumer,
    );
    return Math.round((body.expires_at - Date.now() / 1000) / 3600);
  };
  const buy = async (shop: Shop) => {
    const token = await paid(app, shop);
    await app.pool.query(`UPDATE payments SET updated_at = updated_at - interval '1 minute' WHERE token = $1`, [token]);
    return token;
  };

  test('access.revoked: begins at once where that is refunded, however many follow on each other', async () => {
    const shop = await createPayShop(app);
    const [first, second, third] = [await buy(shop), await buy(shop), await buy(shop)];
    expect(await endOf(shop)).toBe(144);
    await refund(app, shop.merchant, second, { revoke_access: true });
    await refunded(app, second);
    expect(await endOf(shop)).toBe(96);
    await refund(app, shop.merchant, first, { revoke_access: true });
    await refunded(app, first);
    expect(await endOf(shop)).toBe(48);
    await refund(app, shop.merchant, third, { revoke_access: true });
    await refunded(app, third);
    expect((await call(app, 'GET', `/items/${shop.item.id}/access`, undefined, shop.consumer)).status).toBe(402);
  });
});

test('200: access that was over ended when it ended, not when its money went back', async () => {
  const shop = await createPayShop(app);
  const token = await paid(app, shop);
  const over = `UPDATE accesses SET starts_at = '2026-01-01', expires_at = '2026-01-03' WHERE account_id = $1`;
  await app.pool.query(over, [shop.consumer.id]);
  await refund(app, shop.merchant, token, { revoke_access: true });
  await refunded(app, token);
  const text = `SELECT expires_at = '2026-01-03' AS kept FROM accesses WHERE account_id = $1`;
  expect((await app.pool.query(text, [shop.consumer.id])).rows).toEqual([{ kept: true }]);
});

describe('never more than was paid', () => {
  test('409 nothing_to_refund: 20 whole refunds at once are one', async () => {
    const shop = await createPayShop(app);
    const token = await paid(app, shop);
    const replies = await Promise.all(Array.from({ length: 20 }, () => refund(app, shop.merchant, token)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 19 }, () => 409)]);
    await refunded(app, token);
    expect(await findPaymentFaults(app.pool, token)).toEqual([]);
  });

  test('200: 20 refunds of a third at once are three', async () => {
    const shop = await createPayShop(app);
    const token = await paid(app, shop);
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => refund(app, shop.merchant, token, { amount: '1.50' })),
    );
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(3);
    await refunded(app, token, 3);
    expect(await findPaymentFaults(app.pool, token)).toEqual([]);
  });

  test.each([['4.51'], ['1.001'], ['0'], ['-1']])('422 invalid_input: amount %s', async (amount) => {
    const shop = await createPayShop(app);
    const token = await paid(app, shop);
    const reply = await refund(app, shop.merchant, token, { amount });
    expect(reply).toMatchObject({ status: 422, body: { errors: { amount: expect.any(String) as string } } });
  });
});

test('422 invalid_input: an amount between the steps of the currency', async () => {
  const shop = await createPayShop(app, { amount: '4.500', currency: 'KWD' });
  const token = await paid(app, shop);
  const reply = await refund(app, shop.merchant, token, { amount: '1.005' });
  const errors = { amount: 'The amount must be a multiple of 0.01 in KWD.' };
  expect(reply).toMatchObject({ status: 422, body: { errors } });
  expect((await refund(app, shop.merchant, token, { amount: '1.010' })).status).toBe(200);
});

describe('a provider', () => {
  test('payment.refund.failed: that refuses; the amount may be asked for again', async () => {
    const shop = await createPayShop(app);
    const token = await paid(app, shop, refundCards.refused);
    const channel = await listen(app, shop.consumer);
    await refund(app, shop.merchant, token, { revoke_access: true });
    const { resource } = await channel.hears('payment.refund.failed');
    expect(resource).toMatchObject({
      code: 422,
      transaction: token,
      message: expect.stringMatching(/refused/) as string,
    });
    expect(channel.heard).toHaveLength(1);
    await channel.close();
    expect(await hasAccess(shop)).toBe(true);
    expect((await refund(app, shop.merchant, token)).status).toBe(200);
    await refunded(app, token, 2, 'failed');
    expect(await findPaymentFaults(app.pool, token)).toEqual([]);
  });

  test.each([refundCards.timeoutAfterRefunding, refundCards.timeoutBeforeRefunding])(
    'payment.refund.success: whose answer is lost gives back once: %s',
    async (number) => {
      const shop = await createPayShop(app);
      const token = await paid(app, shop, number);
      await refund(app, shop.merchant, token);
      await refunded(app, token);
      expect(await findPaymentFaults(app.pool, token)).toEqual([]);
    },
  );
});

describe('what is not there', () => {
  test('404 payment_not_found: a charge of another merchant, one that was not paid, one that never was', async () => {
    const shop = await createPayShop(app);
    const token = await paid(app, shop);
    const stranger = await createMerchant(app);
    const expected = { status: 404, body: { error: 'payment_not_found' } };
    expect(await refund(app, stranger, token)).toMatchObject(expected);
    expect(await refund(app, shop.merchant, 'C-nothing-SB')).toMatchObject(expected);
  });

  test('409 nothing_to_refund: of what was free', async () => {
    const shop = await createPayShop(app, { amount: '0' });
    const { body } = await call<{ transaction: string }>(
      app,
      'POST',
      '/payments',
      { access_fee: shop.fee.id },
      shop.consumer,
    );
    await settles(app, body.transaction, 'paid');
    const reply = await refund(app, shop.merchant, body.transaction);
    expect(reply).toMatchObject({ status: 409, body: { error: 'nothing_to_refund' } });
  });
});
