import { type ReconciliationResult } from '../../../workflows/messages';
import { findFaults } from '../../support/books';
import { createShop, reaches } from '../../support/factories';
import { approveSilently } from '../../support/scenarios';
import { subscribeWithAuthentication } from '../../support/payer';
import { startApp, type TestApp } from '../../support/startApp';
import { control } from '../../support/providerBooks';

let app: TestApp;
let reconcileCharges: () => Promise<ReconciliationResult>;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
  ({ reconcileCharges } = await import('../../../src/subscriptions/provider/reconciliation.js'));
});

afterAll(() => app.stop());

test('subscribe.success: the payer has approved at the bank, and the service was not notified', async () => {
  const shop = await createShop(app);
  const { id } = await subscribeWithAuthentication(app, shop);
  await approveSilently(app, { id });
  await app.pool.query(`UPDATE charges SET created_at = now() - interval '1 hour' WHERE idempotency_key = $1`, [
    `${id}:1:1`,
  ]);
  expect((await reconcileCharges()).different).toEqual([]);
  await reaches(app, shop.consumer, id, 'active');
  expect(await findFaults(app.pool, id)).toEqual([]);
});

test('subscribe.requires.action: the subscription waits for a payer who has not answered', async () => {
  const shop = await createShop(app);
  const { id } = await subscribeWithAuthentication(app, shop);
  await app.pool.query(`UPDATE charges SET created_at = now() - interval '1 hour' WHERE idempotency_key = $1`, [
    `${id}:1:1`,
  ]);
  expect((await reconcileCharges()).different).toEqual([]);
  await reaches(app, shop.consumer, id, 'incomplete');
});

test('unmatched: a payment that only the provider knows is recorded once and reported once', async () => {
  const shop = await createShop(app);
  const { id, answer } = await subscribeWithAuthentication(app, shop);
  await answer('approved');
  await reaches(app, shop.consumer, id, 'active');
  await control('foreign-charges', { key: `${id}:7:1`, like: `${id}:1:1`, reference: 'pi_unknown' });
  const { different } = await reconcileCharges();
  expect(different).toHaveLength(1);
  const { rows } = await app.pool.query('SELECT cycle, status, trx_token FROM charges WHERE reference = $1', [
    'pi_unknown',
  ]);
  expect(rows).toEqual([{ cycle: 7, status: 'paid', trx_token: different[0] }]);
  expect((await reconcileCharges()).different).toEqual([]);
});
