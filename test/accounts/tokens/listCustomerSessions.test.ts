import { call } from '../../support/client';
import { createConsumer, createMerchant } from '../../support/factories';
import { sessionOf } from '../../support/sessions';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const list = (merchant: { token: string }, id: number) =>
  call<{ collection: { id: string; is_current: boolean }[] }>(
    app,
    'GET',
    `/v2/accounts/customers/${id}/sessions`,
    undefined,
    merchant,
  );

test('200: the sessions of a customer', async () => {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const { status, body } = await list(merchant, consumer.id);
  expect(status).toBe(200);
  expect(body.collection).toMatchObject([{ id: sessionOf(consumer), is_current: false }]);
});

test('404 account_not_found: another merchant’s customer, and the merchant itself', async () => {
  const merchant = await createMerchant(app);
  const stranger = await createConsumer(app, await createMerchant(app));
  for (const id of [stranger.id, merchant.id])
    expect(await list(merchant, id)).toMatchObject({ status: 404, body: { error: 'account_not_found' } });
});
