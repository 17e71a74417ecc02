import { cards, createShop, purchase, reaches, subscribe, type Submitted } from '../support/factories';
import { call } from '../support/client';
import { chargesOf } from '../support/ledger';
import { subscribeWithAuthentication } from '../support/payer';
import { startApp, type TestApp } from '../support/startApp';
import { approveAtBank } from '../support/providerBooks';

/** A payer who leaves an authentication can start again at once. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

test('202: one that waits for an authentication makes way, and cannot be paid any more', async () => {
  const shop = await createShop(app);
  const { id, answer } = await subscribeWithAuthentication(app, shop);
  const again = await subscribe(app, shop, cards.success);
  expect(again.status).toBe(202);
  await reaches(app, shop.consumer, again.body.subscription_id, 'active');
  await reaches(app, shop.consumer, id, 'incomplete_expired');
  await answer('approved');
  expect(await chargesOf(app, id)).toMatchObject([{ status: 'declined' }]);
});

test('409 already_has_access: it was approved in the meantime', async () => {
  const shop = await createShop(app);
  const { id, pi } = await subscribeWithAuthentication(app, shop);
  await approveAtBank(pi);
  const { status, body } = await subscribe(app, shop, cards.success);
  expect([status, body]).toMatchObject([409, { error: 'already_has_access' }]);
  await reaches(app, shop.consumer, id, 'active');
});

test('202: what costs nothing is bought without a card', async () => {
  const shop = await createShop(app, { amount: '0' });
  const { access_fee } = purchase(shop);
  const { status, body } = await call<Submitted>(app, 'POST', '/subscriptions', { access_fee }, shop.consumer);
  expect(status).toBe(202);
  await reaches(app, shop.consumer, body.subscription_id, 'active');
});
