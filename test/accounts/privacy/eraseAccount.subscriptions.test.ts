import { type RunningWorker } from '../../../workers/worker';
import { subscriptionWorkflowId } from '../../../workflows/messages';
import { call } from '../../support/client';
import { cards, createShop, reaches, type Shop, subscribe, type SubscriptionRow } from '../../support/factories';
import { giveTrial } from '../../support/scenarios';
import { refund } from '../../support/payments';
import { isErased, isForgotten, operationOf, requestErasure } from '../../support/privacy';
import { startApp, type TestApp } from '../../support/startApp';
import { connectTemporal } from '../../support/temporalClient';
import { until } from '../../support/until';
import { queryBooks } from '../../support/providerBooks';

/** An erasure can begin at any step of a subscription. The provider's ledger does not change afterwards. */

let app: TestApp;
let worker: RunningWorker | undefined;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const startWorker = async () => (worker = await app.startWorker());

async function stopWorker(): Promise<void> {
  await worker?.stop();
  worker = undefined;
}

afterEach(stopWorker);

interface Purchase {
  shop: Shop;
  id: string;
  /** The token of the card at the provider. Our database has deleted it. */
  card: string;
}

async function submit(number: string): Promise<Purchase> {
  const shop = await createShop(app);
  const { body } = await subscribe(app, shop, number);
  const text = 'SELECT token FROM cards WHERE account_id = $1';
  const { rows } = await app.pool.query<{ token: string }>(text, [shop.consumer.id]);
  return { shop, id: body.subscription_id, card: rows[0]?.token ?? '' };
}

async function ledger({ card }: Purchase): Promise<string[]> {
  const { rows } = await queryBooks<{ status: string }>(
    app.pool,
    'SELECT status FROM sandbox_charges WHERE token = $1 ORDER BY created_at',
    [card],
  );
  return rows.map(({ status }) => status);
}

const stateOf = async ({ id }: Purchase) =>
  (await app.pool.query<{ state: string }>('SELECT state FROM subscriptions WHERE token = $1', [id])).rows[0]?.state;

const isOpenTo = async ({ shop }: Purchase) => {
  const text = 'SELECT 1 FROM accesses WHERE account_id = $1 AND revoked_at IS NULL AND expires_at > now()';
  return (await app.pool.query(text, [shop.consumer.id])).rows.length > 0;
};

async function eraseDuring(purchase: Purchase): Promise<void> {
  expect((await requestErasure(app, purchase.shop.consumer)).status).toBe(202);
}

/** Earlier charges stay, and no new charge is made. */
async function expectEnded(purchase: Purchase, state: SubscriptionRow['status'], charges: string[]): Promise<void> {
  await isErased(app, purchase.shop.consumer.id);
  expect({ state: await stateOf(purchase), charges: await ledger(purchase) }).toEqual({ state, charges });
  expect(await isOpenTo(purchase)).toBe(false);
}

test('202: before its workflow has done anything: never charged', async () => {
  const purchase = await submit(cards.success);
  await eraseDuring(purchase);
  await startWorker();
  await expectEnded(purchase, 'incomplete_expired', []);
});

test('202: before its workflow was even started: never charged', async () => {
  const purchase = await submit(cards.success);
  await app.pool.query('DELETE FROM outbox');
  await eraseDuring(purchase);
  await startWorker();
  await expectEnded(purchase, 'incomplete_expired', []);
});

test('202: between two tries of a charge that the provider never saw: never charged', async () => {
  const { cardProvider } = await import('../../../src/adapters/cardProviders/index.js');
  const provider = { ...cardProvider };
  let letGo = (): void => undefined;
  const isErasing = new Promise<void>((resolve) => (letGo = resolve));
  // The first try ends after the request, so the second one never comes before it.
  cardProvider.charge = async (request) => {
    const outcome = await provider.charge(request);
    await isErasing;
    return outcome;
  };
  await startWorker();
  const purchase = await submit(cards.timeoutBeforeCharging);
  await until(async () => (await ledger(purchase)).length === 1);
  await eraseDuring(purchase);
  Object.assign(cardProvider, provider);
  letGo();
  await expectEnded(purchase, 'incomplete_expired', ['not_charged']);
});

test('202: while the answer to a charge is lost: charged that once, and given back', async () => {
  await startWorker();
  const purchase = await submit(cards.timeoutAfterCharging);
  await until(async () => (await ledger(purchase)).length === 1);
  await eraseDuring(purchase);
  await expectEnded(purchase, 'canceled', ['paid']);
});

test('202: while it waits for its payer, who approves too late: never charged', async () => {
  await startWorker();
  const purchase = await submit(cards.needsAuthentication);
  const reference = await until(async () => {
    const text = 'SELECT reference FROM sandbox_charges WHERE token = $1';
    return (await queryBooks<{ reference: string }>(app.pool, text, [purchase.card])).rows[0]?.reference;
  });
  const known = () => app.pool.query('SELECT 1 FROM charges WHERE reference = $1', [reference]);
  await until(async () => (await known()).rows.length > 0);
  await eraseDuring(purchase);
  await isErased(app, purchase.shop.consumer.id);
  await call(app, 'POST', `/sandbox/authenticate/${reference}`, { answer: 'approved' });
  await expectEnded(purchase, 'incomplete_expired', ['declined']);
});

test('202: while it is active: ends at once, charged that once', async () => {
  await startWorker();
  const purchase = await submit(cards.success);
  await reaches(app, purchase.shop.consumer, purchase.id, 'active');
  await eraseDuring(purchase);
  await expectEnded(purchase, 'canceled', ['paid']);
});

test('202: after it was canceled at once: the words of its customer are forgotten, and no history contains them', async () => {
  await startWorker();
  const purchase = await submit(cards.success);
  const { shop, id } = purchase;
  await reaches(app, shop.consumer, id, 'active');
  const said = { at: 'now', reason: 'I move to Lisbon with Ana' };
  await until(async () => (await call(app, 'DELETE', `/subscriptions/${id}`, said, shop.consumer)).status === 200);
  const text = `SELECT s.cancel_reason AS words, (SELECT array_agg(e.reason ORDER BY e.sequence)
      FROM subscription_events e WHERE e.subscription_id = s.id) AS history,
      (SELECT array_agg(m.reason ORDER BY m.id) FROM mrr_movements m WHERE m.subscription_id = s.id) AS movements
    FROM subscriptions s WHERE s.token = $1`;
  const stored = async () => (await app.pool.query<object>(text, [id])).rows;
  const histories = { history: ['submitted', 'first payment', 'canceled'], movements: ['first payment', 'canceled'] };
  expect(await stored()).toEqual([{ words: said.reason, ...histories }]);
  await requestErasure(app, shop.consumer);
  await until(() => isForgotten(app, shop.consumer.id));
  expect(await stored()).toEqual([{ words: '', ...histories }]);
});

test('202: while it is active and no worker runs: ends when one is back', async () => {
  await startWorker();
  const purchase = await submit(cards.success);
  await reaches(app, purchase.shop.consumer, purchase.id, 'active');
  await stopWorker();
  await eraseDuring(purchase);
  await startWorker();
  await expectEnded(purchase, 'canceled', ['paid']);
});

test('202: while it is revoked: told that nothing is to be given back any more', async () => {
  await startWorker();
  const purchase = await submit(cards.success);
  await reaches(app, purchase.shop.consumer, purchase.id, 'active');
  const temporal = await connectTemporal();
  const life = temporal.client.workflow.getHandle(subscriptionWorkflowId(purchase.id));
  await life.signal('revoked', {});
  await reaches(app, purchase.shop.consumer, purchase.id, 'revoked');
  await eraseDuring(purchase);
  await expectEnded(purchase, 'revoked', ['paid']);
  await isForgotten(app, purchase.shop.consumer.id);
  expect((await life.describe()).status.name).toBe('COMPLETED');
  await temporal.close();
});

test('202: in a trial whose workflow was never started: never charged, and the trial is what it began with', async () => {
  const shop = await createShop(app);
  await giveTrial(app, shop.fee.id, [7, 'day']);
  const { body } = await subscribe(app, shop);
  await app.pool.query('DELETE FROM outbox');
  expect((await requestErasure(app, shop.consumer)).status).toBe(202);
  await startWorker();
  await isErased(app, shop.consumer.id);
  const text = `SELECT s.state, (SELECT count(*)::int FROM charges c WHERE c.subscription_id = s.id) AS charges
    FROM subscriptions s WHERE token = $1`;
  const { rows } = await app.pool.query(text, [body.subscription_id]);
  expect(rows).toEqual([{ state: 'canceled', charges: 0 }]);
});

test('202: after it has failed: there is nothing to end', async () => {
  await startWorker();
  const purchase = await submit(cards.declined);
  await reaches(app, purchase.shop.consumer, purchase.id, 'incomplete_expired');
  await eraseDuring(purchase);
  await expectEnded(purchase, 'incomplete_expired', ['declined']);
});

test('202: a purchase that commits while the erasure runs leads it back to its first step', async () => {
  const purchase = await submit(cards.success);
  await eraseDuring(purchase);
  const { wipeAccount } = await import('../../../src/privacy/erasures.js');
  const text = 'SELECT id FROM account_operations WHERE account_id = $1';
  const { rows } = await app.pool.query<{ id: number }>(text, [purchase.shop.consumer.id]);
  expect(await wipeAccount(rows[0]?.id ?? 0)).toEqual({ isWiped: false });
  await startWorker();
  await expectEnded(purchase, 'incomplete_expired', []);
});

test('202: a workflow that still runs when the account is wiped reads on: its key goes when it has ended', async () => {
  await startWorker();
  const purchase = await submit(cards.declined);
  const { consumer } = purchase.shop;
  await reaches(app, consumer, purchase.id, 'incomplete_expired');
  await stopWorker();
  const temporal = await connectTemporal();
  const { config } = await import('../../../src/config.js');
  const workflowId = subscriptionWorkflowId(purchase.id);
  const text = 'SELECT id FROM subscriptions WHERE token = $1';
  const { rows } = await app.pool.query<{ id: number }>(text, [purchase.id]);
  const args = [{ subscriptionId: rows[0]?.id }];
  await temporal.client.workflow.start('subscription', { workflowId, taskQueue: config.TEMPORAL_TASK_QUEUE, args });
  await eraseDuring(purchase);
  const { wipeAccount, destroyKey } = await import('../../../src/privacy/erasures.js');
  const operationId = await operationOf(app, consumer.id);
  expect(await wipeAccount(operationId)).toEqual({ isWiped: true });
  expect(await destroyKey(operationId)).toEqual({ left: 1 });
  await startWorker();
  await isForgotten(app, consumer.id);
  expect((await temporal.client.workflow.getHandle(workflowId).describe()).status.name).toBe('COMPLETED');
  await temporal.close();
});

test('202: a workflow that begins once the account is erased finds nothing to charge, and ends', async () => {
  const shop = await createShop(app);
  await giveTrial(app, shop.fee.id, [7, 'day']);
  const { body } = await subscribe(app, shop);
  await startWorker();
  await reaches(app, shop.consumer, body.subscription_id, 'trialing');
  expect((await requestErasure(app, shop.consumer)).status).toBe(202);
  await isForgotten(app, shop.consumer.id);
  await isErased(app, shop.consumer.id);
  const { chargeCycle, lookUpCharge, voidCharge } = await import('../../../src/subscriptions/charges/charges.js');
  const text = 'SELECT id FROM subscriptions WHERE token = $1';
  const { rows } = await app.pool.query<{ id: number }>(text, [body.subscription_id]);
  for (const step of [chargeCycle, lookUpCharge, voidCharge])
    expect(await step({ subscriptionId: rows[0]?.id ?? 0, cycle: 1, attempt: 1 })).toMatchObject({
      outcome: 'declined',
      reason: 'account_erased',
    });
});

test('202: a refund whose answer comes once the account is erased is written, and mailed to nobody', async () => {
  await startWorker();
  const purchase = await submit(cards.success);
  const { consumer, merchant } = purchase.shop;
  await reaches(app, consumer, purchase.id, 'active');
  await stopWorker();
  const charge = await app.pool.query<{ trx_token: string }>('SELECT trx_token FROM charges WHERE account_id = $1', [
    consumer.id,
  ]);
  expect((await refund(app, merchant, charge.rows[0]?.trx_token ?? '')).status).toBe(200);
  await eraseDuring(purchase);
  const { wipeAccount } = await import('../../../src/privacy/erasures.js');
  await app.pool.query(`UPDATE subscriptions SET state = 'canceled' WHERE token = $1`, [purchase.id]);
  expect(await wipeAccount(await operationOf(app, consumer.id))).toEqual({ isWiped: true });
  const { sendRefund } = await import('../../../src/subscriptions/refunds/sending.js');
  const { rows } = await app.pool.query<{ id: number }>('SELECT id FROM refunds WHERE account_id = $1', [consumer.id]);
  expect(await sendRefund(rows[0]?.id ?? 0)).toEqual({ outcome: 'refunded' });
  const mails = await app.pool.query('SELECT template FROM mails WHERE account_id = $1', [consumer.id]);
  expect(mails.rows).toEqual([]);
});

test('202: a charge is not sent for an account that is being erased, whoever asks for it', async () => {
  const purchase = await submit(cards.success);
  await eraseDuring(purchase);
  const { chargeCycle } = await import('../../../src/subscriptions/charges/charges.js');
  const text = 'SELECT id FROM subscriptions WHERE token = $1';
  const { rows } = await app.pool.query<{ id: number }>(text, [purchase.id]);
  for (const attempt of [1, 2]) {
    const outcome = await chargeCycle({ subscriptionId: rows[0]?.id ?? 0, cycle: 1, attempt });
    expect(outcome).toMatchObject({ outcome: 'declined', reason: 'account_erased' });
  }
  expect(await ledger(purchase)).toEqual([]);
});
