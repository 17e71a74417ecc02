import { call, listen } from '../support/client';
import { cards, createShop, purchase, reaches, subscribe } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';
import { queryBooks } from '../support/providerBooks';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

test('202: a payment that succeeds gives access, then tells of it, in this order', async () => {
  const shop = await createShop(app);
  const { consumer, item } = shop;
  const channel = await listen(app, consumer);
  const { status, headers, body } = await subscribe(app, shop);
  expect(status).toBe(202);
  expect(body).toMatchObject({ code: 202, message: 'Submitted for payment', status: 'incomplete' });
  expect(headers.get('location')).toBe(`/subscriptions/${body.subscription_id}`);

  await channel.hears('subscribe.success');
  expect(channel.heard.map(({ type }) => type)).toEqual(['access.granted', 'subscribe.success']);
  expect(channel.heard[1]?.resource).toMatchObject({ amount: '9.99', code: 200, transaction: body.subscription_id });
  const access = await call(app, 'GET', `/items/${item.id}/access`, undefined, consumer);
  expect(access).toMatchObject({ status: 200, body: { item: { content: '<p>The final.</p>' } } });
  await channel.close();
});

test('subscribe.failed: a declined card gives no access and charges nothing', async () => {
  const shop = await createShop(app);
  const { consumer, item } = shop;
  const channel = await listen(app, consumer);
  const { body } = await subscribe(app, shop, cards.declined);

  const failed = await channel.hears('subscribe.failed');
  expect(failed.resource).toMatchObject({ code: 422, message: 'Your card was declined.' });
  expect(await reaches(app, consumer, body.subscription_id, 'incomplete_expired')).toMatchObject({
    action_type: 'incomplete_expired',
    failure_reason: 'declined',
  });
  const access = await call(app, 'GET', `/items/${item.id}/access`, undefined, consumer);
  expect(access).toMatchObject({ status: 402, body: { code: 402, message: 'Asset access not found' } });
  const ledger = await queryBooks(
    app.pool,
    `SELECT * FROM sandbox_charges WHERE status = 'paid' AND idempotency_key LIKE $1`,
    [`${body.subscription_id}:%`],
  );
  expect(ledger.rows).toEqual([]);
  await channel.close();
});

test('subscribe.success and subscribe.failed: tell from where the purchase was made', async () => {
  const shop = await createShop(app);
  const channel = await listen(app, shop.consumer);
  const referrer = 'https://news.example/final';
  const submit = (number: string) =>
    call(app, 'POST', '/subscriptions', { ...purchase(shop, number), referrer }, shop.consumer);
  await submit(cards.declined);
  const { resource: failed } = await channel.hears('subscribe.failed');
  expect(failed).toMatchObject({ extras: { item_id: shop.item.id, referrer } });
  await submit(cards.success);
  expect((await channel.hears('subscribe.success')).resource).toMatchObject({ referrer });
  await channel.close();
});
