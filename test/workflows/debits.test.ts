import { call, listen, requestChange } from '../support/client';
import { balanceOf } from '../support/balances';
import { createFee, createItem, reaches, type Shop, type SubscriptionRow } from '../support/factories';
import { journalFaults } from '../support/journal';
import { decideDispute, dispute, listenToSandbox, silenceSandbox } from '../support/sandboxDisputes';
import { accounts, charged as chargedIn, createDebitShop, payByDebit, subscribeByDebit } from '../support/debits';
import { compare, listDifferences } from '../support/differences';
import { receives } from '../support/mailbox';
import { refund, refunded, settles } from '../support/payments';
import { startApp, type TestApp } from '../support/startApp';
import { passDays, passPeriod } from '../support/testClock';
import { giveTrial } from '../support/scenarios';
import { until } from '../support/until';
import { control } from '../support/providerBooks';

/** Direct debits: a bank decides within days, which pass by the merchant's test clock. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

const access = async ({ item, consumer }: Shop) =>
  (await call(app, 'GET', `/items/${item.id}/access`, undefined, consumer)).status;

/** The bank decides days after the purchase, so the customer learns of the failure from a mail. */
async function isTold({ merchant, consumer, item }: Shop, amount: string): Promise<void> {
  const { text } = await receives(app, merchant, consumer.email, 'debit_failed');
  expect(text).toContain(`We could not collect ${amount}`);
  expect(text).toContain('There was not enough money in the account.');
  expect(text).toContain(`Try again: http://paywall.test/paywall/${merchant.uuid}/${item.id}\n`);
}

const charged = (token: string, status: string, place?: string) => chargedIn(app, token, status, place);

const ppv = { access_type: 'ppv', quantity: 60, period: 'day', amount: '4.50' };

const own = (token: string, { consumer }: Shop) =>
  call<SubscriptionRow>(app, 'GET', `/subscriptions/${token}`, undefined, consumer);

describe('a first debit of a subscription', () => {
  test('subscribe.success: access opens with the money', async () => {
    const shop = await createDebitShop(app, accounts.paid);
    const channel = await listen(app, shop.consumer);
    const { body, status } = await subscribeByDebit(app, shop);
    expect(status).toBe(202);
    await charged(body.subscription_id, 'processing');
    expect(await access(shop)).toBe(402);
    expect((await own(body.subscription_id, shop)).body.status).toBe('incomplete');
    await passDays(app, shop.merchant, 6);
    await reaches(app, shop.consumer, body.subscription_id, 'active');
    await channel.hears('subscribe.success');
    await channel.close();
    expect(await access(shop)).toBe(200);
  });

  test('subscribe.failed: there was no access', async () => {
    const shop = await createDebitShop(app, accounts.failed);
    const channel = await listen(app, shop.consumer);
    const { body } = await subscribeByDebit(app, shop);
    await charged(body.subscription_id, 'processing');
    await passDays(app, shop.merchant, 6);
    const { resource } = await channel.hears('subscribe.failed');
    await channel.close();
    expect(resource['message']).toContain('insufficient funds');
    await reaches(app, shop.consumer, body.subscription_id, 'incomplete_expired');
    await isTold(shop, '€9.99');
  });

  test('409 subscription_state: it cannot be canceled while the bank decides', async () => {
    const shop = await createDebitShop(app, accounts.paid);
    const { body } = await subscribeByDebit(app, shop);
    await charged(body.subscription_id, 'processing');
    const canceled = () => call(app, 'DELETE', `/subscriptions/${body.subscription_id}`, undefined, shop.consumer);
    const reply = await until(async () => {
      const answer = await canceled();
      return answer.status === 409 && answer;
    });
    expect(reply.body).toMatchObject({ error: 'subscription_state' });
  });

  test('access.revoked: access that opened at submission ends when the debit fails', async () => {
    const shop = await createDebitShop(app, accounts.failed, { access: 'at_submission' });
    const channel = await listen(app, shop.consumer);
    const { body } = await subscribeByDebit(app, shop);
    await channel.hears('subscribe.success');
    expect(await access(shop)).toBe(200);
    await passDays(app, shop.merchant, 6);
    await channel.hears('access.revoked');
    await channel.hears('subscribe.failed');
    await channel.close();
    await reaches(app, shop.consumer, body.subscription_id, 'expired');
    expect(await access(shop)).toBe(402);
    await isTold(shop, '€9.99');
  });

  test('200: access that opened at submission stays when the money arrives, and the next period is collected', async () => {
    const shop = await createDebitShop(app, accounts.paid, { access: 'at_submission' });
    const { body } = await subscribeByDebit(app, shop);
    await reaches(app, shop.consumer, body.subscription_id, 'active');
    await passDays(app, shop.merchant, 6);
    await charged(body.subscription_id, 'paid');
    await passDays(app, shop.merchant, 40);
    await charged(body.subscription_id, 'paid', '2:1');
    expect(await access(shop)).toBe(200);
    expect((await own(body.subscription_id, shop)).body.status).toBe('active');
  });
});

describe('a renewal by debit', () => {
  const live = async (iban: string) => {
    const shop = await createDebitShop(app, iban);
    const { body } = await subscribeByDebit(app, shop);
    await charged(body.subscription_id, 'processing');
    await passDays(app, shop.merchant, 6);
    await reaches(app, shop.consumer, body.subscription_id, 'active');
    return { shop, token: body.subscription_id };
  };

  test('subscription.rebill.failed: a debit that fails days later is dunned like a declined card', async () => {
    const { shop, token } = await live(accounts.failedOnceAtRenewal);
    await passPeriod(app, shop, token, 2);
    await charged(token, 'processing', '2:1');
    expect((await own(token, shop)).body.status).toBe('active');
    expect(await access(shop)).toBe(200);
    await passDays(app, shop.merchant, 5);
    await reaches(app, shop.consumer, token, 'past_due');
    expect(await access(shop)).toBe(200);
    await passDays(app, shop.merchant, 2);
    await charged(token, 'processing', '2:2');
    await passDays(app, shop.merchant, 6);
    await reaches(app, shop.consumer, token, 'active');
    await charged(token, 'paid', '2:2');
  });

  test('past_due: a debit that the payer takes back is collected again', async () => {
    const { shop, token } = await live(accounts.returnedOnceAtRenewal);
    await passPeriod(app, shop, token, 2);
    await charged(token, 'processing', '2:1');
    await passDays(app, shop.merchant, 6);
    await charged(token, 'paid', '2:1');
    await passDays(app, shop.merchant, 11);
    await reaches(app, shop.consumer, token, 'past_due');
    await passDays(app, shop.merchant, 2);
    await charged(token, 'processing', '2:2');
    await passDays(app, shop.merchant, 6);
    await reaches(app, shop.consumer, token, 'active');
    const { rows } = await app.pool.query(
      `SELECT attempt, status, reversed_at IS NOT NULL AS reversed FROM charges
       WHERE idempotency_key LIKE $1 || ':2:%' ORDER BY attempt`,
      [token],
    );
    expect(rows).toEqual([
      { attempt: 1, status: 'paid', reversed: true },
      { attempt: 2, status: 'paid', reversed: false },
    ]);
  });

  test('past_due: after a won dispute, a debit that was given up with the revocation is tried again', async () => {
    const { shop, token } = await live(accounts.paid);
    const { time } = await passPeriod(app, shop, token, 2);
    await charged(token, 'processing', '2:1');
    const { signalWorkflow } = await import('../../src/adapters/temporal.js');
    const tell = (name: string) => {
      const notice = { id: `dispute:${name}`, atMs: Date.parse(time), reason: 'dispute' };
      return signalWorkflow(`subscription-${token}`, name, notice, () => Promise.resolve(undefined));
    };
    await tell('revoked');
    await charged(token, 'declined', '2:1');
    await reaches(app, shop.consumer, token, 'revoked');
    await tell('restored');
    await reaches(app, shop.consumer, token, 'past_due');
    await passDays(app, shop.merchant, 2);
    await charged(token, 'processing', '2:2');
    await passDays(app, shop.merchant, 6);
    await reaches(app, shop.consumer, token, 'active');
  });

  test('canceled: a debit that cannot be stopped is given up', async () => {
    const { shop, token } = await live(accounts.paid);
    await passPeriod(app, shop, token, 2);
    await charged(token, 'processing', '2:1');
    await call(app, 'DELETE', `/subscriptions/${token}`, { at: 'now' }, shop.merchant);
    await reaches(app, shop.consumer, token, 'canceled');
    await charged(token, 'declined', '2:1');
  });
});

describe('a one-time payment by debit', () => {
  test('payment.card.success: access opens with the money', async () => {
    const shop = await createDebitShop(app, accounts.paid, { fee: ppv });
    const { body } = await payByDebit(app, shop);
    await charged(body.transaction, 'processing');
    expect(await access(shop)).toBe(402);
    await passDays(app, shop.merchant, 6);
    await settles(app, body.transaction, 'paid');
    expect(await access(shop)).toBe(200);
  });

  test('payment.card.failed: access that opened at submission ends', async () => {
    const shop = await createDebitShop(app, accounts.failed, { access: 'at_submission', fee: ppv });
    const channel = await listen(app, shop.consumer);
    const { body } = await payByDebit(app, shop);
    await channel.hears('access.granted');
    expect(await access(shop)).toBe(200);
    await passDays(app, shop.merchant, 6);
    await channel.hears('payment.card.failed');
    await channel.close();
    await settles(app, body.transaction, 'failed');
    expect(await access(shop)).toBe(402);
    await isTold(shop, '€4.50');
  });
});

describe('books', () => {
  /** Makes everything old enough to be compared. */
  const age = async () => {
    await app.pool.query(`UPDATE charges SET known_at = known_at - interval '2 hours'`);
    await control('age', { hours: 2 });
  };

  test('access.revoked: a first debit that the payer takes back ends the access, and the books agree', async () => {
    const shop = await createDebitShop(app, accounts.returned);
    const { body } = await subscribeByDebit(app, shop);
    await charged(body.subscription_id, 'processing');
    await passDays(app, shop.merchant, 6);
    await reaches(app, shop.consumer, body.subscription_id, 'active');
    const channel = await listen(app, shop.consumer);
    await passDays(app, shop.merchant, 10);
    await channel.hears('access.revoked');
    await channel.close();
    await reaches(app, shop.consumer, body.subscription_id, 'revoked');
    expect(await access(shop)).toBe(402);
    const { body: disputes } = await call<{ collection: object[] }>(
      app,
      'GET',
      '/payments/disputes',
      undefined,
      shop.merchant,
    );
    expect(disputes.collection).toMatchObject([{ status: 'lost', amount: 9.99, currency: 'EUR' }]);
    await age();
    await compare(app);
    expect(await listDifferences(app, shop.merchant)).toEqual([]);
    const path = '/payments/balance-transactions';
    const { body: moved } = await call<{ collection: object[] }>(app, 'GET', path, undefined, shop.merchant);
    const amount = 9.99;
    expect(moved.collection).toMatchObject([
      { kind: 'dispute', amount },
      { kind: 'charge', amount },
    ]);
  });

  /** A year by debit becomes a month, and a debit of another purchase uses the credit. The bank decides against it later. */
  async function useCredit() {
    const shop = await createDebitShop(app, accounts.failedAtRenewal, { fee: { amount: '100', period: 'year' } });
    const { body } = await subscribeByDebit(app, shop);
    await charged(body.subscription_id, 'processing');
    await passDays(app, shop.merchant, 6);
    await reaches(app, shop.consumer, body.subscription_id, 'active');
    const month = await createFee(app, shop.merchant, shop.item.id, { amount: '1', period: 'month' });
    const change = { access_fee_id: month.id, mode: 'now' };
    const path = `/subscriptions/${body.subscription_id}/switch`;
    await until(async () => (await requestChange(app, 'POST', path, change, shop.consumer)).status === 200);
    const creditMinor = await balanceOf(app, shop.consumer.id);
    expect(creditMinor).toBeGreaterThan(9_000);
    const item = await createItem(app, shop.merchant);
    const other = { ...shop, item, fee: await createFee(app, shop.merchant, item.id, { ...ppv, amount: '120' }) };
    const debit = (await payByDebit(app, other)).body.transaction;
    await charged(debit, 'processing');
    expect(await balanceOf(app, shop.consumer.id)).toBe(0);
    return { shop, debit, creditMinor, id: body.subscription_id };
  }

  test('the credit of a disputed payment does not come back with a debit that fails days later', async () => {
    await listenToSandbox(app);
    const { shop, debit, creditMinor, id } = await useCredit();
    const disputed = await dispute((await chargeWithMoney(id)).reference);
    await reaches(app, shop.consumer, id, 'revoked');
    await passDays(app, shop.merchant, 6);
    await charged(debit, 'declined');
    expect(await balanceOf(app, shop.consumer.id)).toBe(0);
    expect(await journalFaults(app.pool)).toEqual([]);
    await decideDispute(disputed, 'won');
    await until(async () => (await balanceOf(app, shop.consumer.id)) === creditMinor);
    await decideDispute(disputed, 'lost');
    await until(async () => (await balanceOf(app, shop.consumer.id)) === 0);
    expect(await journalFaults(app.pool)).toEqual([]);
    await silenceSandbox();
  });

  const chargeWithMoney = async (subscriptionId: string) => {
    const text = `SELECT reference FROM charges WHERE idempotency_key = $1`;
    const { rows } = await app.pool.query<{ reference: string }>(text, [`${subscriptionId}:1:1`]);
    return { reference: rows[0]?.reference ?? '' };
  };

  test('failed: a debit that was taken back is not refunded as well', async () => {
    const shop = await createDebitShop(app, accounts.returned, { fee: ppv });
    const { body } = await payByDebit(app, shop);
    await charged(body.transaction, 'processing');
    await passDays(app, shop.merchant, 6);
    await settles(app, body.transaction, 'paid');
    expect(await access(shop)).toBe(200);
    await passDays(app, shop.merchant, 10);
    await until(async () => (await access(shop)) === 402);
    await refund(app, shop.merchant, body.transaction);
    await refunded(app, body.transaction, 1, 'failed');
  });

  test('refunded: a paid debit', async () => {
    const shop = await createDebitShop(app, accounts.paid, { fee: ppv });
    const { body } = await payByDebit(app, shop);
    await charged(body.transaction, 'processing');
    expect((await refund(app, shop.merchant, body.transaction)).status).toBe(404);
    await passDays(app, shop.merchant, 6);
    await settles(app, body.transaction, 'paid');
    await refund(app, shop.merchant, body.transaction, { revoke_access: true });
    expect(await refunded(app, body.transaction)).toMatchObject([{ amount: 450 }]);
    await until(async () => (await access(shop)) === 402);
  });

  test('a debit that was given up is refunded when the bank has paid it', async () => {
    const shop = await createDebitShop(app, accounts.paid, { access: 'at_submission' });
    const { body } = await subscribeByDebit(app, shop);
    await reaches(app, shop.consumer, body.subscription_id, 'active');
    await call(app, 'DELETE', `/subscriptions/${body.subscription_id}`, { at: 'now' }, shop.merchant);
    await reaches(app, shop.consumer, body.subscription_id, 'canceled');
    await charged(body.subscription_id, 'declined');
    await passDays(app, shop.merchant, 6);
    const { reconcileCharges } = await import('../../src/subscriptions/provider/reconciliation.js');
    await reconcileCharges();
    const { rows } = await app.pool.query(
      `SELECT returned_at IS NOT NULL AS returned FROM charges WHERE idempotency_key = $1`,
      [`${body.subscription_id}:1:1`],
    );
    expect(rows).toEqual([{ returned: true }]);
  });
});

describe('a trial', () => {
  test('trial.converted: its end is debited, and access continues while the bank decides', async () => {
    const shop = await createDebitShop(app, accounts.paid);
    await giveTrial(app, shop.fee.id, [7, 'day']);
    const { body } = await subscribeByDebit(app, shop);
    await reaches(app, shop.consumer, body.subscription_id, 'trialing');
    const channel = await listen(app, shop.consumer);
    await passDays(app, shop.merchant, 8);
    await charged(body.subscription_id, 'processing');
    expect(await access(shop)).toBe(200);
    await passDays(app, shop.merchant, 6);
    await channel.hears('trial.converted');
    await channel.close();
    await charged(body.subscription_id, 'paid');
    expect((await own(body.subscription_id, shop)).body).toMatchObject({
      status: 'active',
      payment_method_name: 'Direct Debit',
      payment_tool_info: '3000',
    });
  });
});
