import { call } from '../support/client';
import { createConsumer, createMerchant, createShop, reaches } from '../support/factories';
import { subscribeWithAuthentication } from '../support/payer';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});
afterAll(() => app.stop());

const pathOf = (id: string) => `/subscriptions/${id}/authentication`;

test('200: what the event told, for as long as the payer is waited for', async () => {
  const shop = await createShop(app);
  const { id, pi, redirectTo } = await subscribeWithAuthentication(app, shop);
  for (const caller of [shop.consumer, shop.merchant])
    expect(await call(app, 'GET', pathOf(id), undefined, caller)).toMatchObject({
      status: 200,
      body: { subscription_id: id, redirect_to_url: redirectTo, pi_id: pi },
    });
});

test('404 payment_not_found: the payer has answered', async () => {
  const shop = await createShop(app);
  const { id, answer } = await subscribeWithAuthentication(app, shop);
  await answer('approved');
  await reaches(app, shop.consumer, id, 'active');
  const after = await call(app, 'GET', pathOf(id), undefined, shop.consumer);
  expect(after).toMatchObject({ status: 404, body: { error: 'payment_not_found' } });
});

test('404 subscription_not_found: none of this name, and another account’s or merchant’s alike', async () => {
  const shop = await createShop(app);
  const { id } = await subscribeWithAuthentication(app, shop);
  const neighbour = await createConsumer(app, shop.merchant);
  const stranger = await createConsumer(app, await createMerchant(app));
  const refusal = { status: 404, body: { error: 'subscription_not_found' } };
  expect(await call(app, 'GET', pathOf(id), undefined, neighbour)).toMatchObject(refusal);
  expect(await call(app, 'GET', pathOf(id), undefined, stranger)).toMatchObject(refusal);
  expect(await call(app, 'GET', pathOf('S-nobody-SB'), undefined, shop.consumer)).toMatchObject(refusal);
});
