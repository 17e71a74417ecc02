import { call } from '../../support/client';
import { newFollower, signIn, type CreatedFollower } from '../../support/followers';
import { createPayShop } from '../../support/payments';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));

afterAll(() => app.stop());

test('200: how one may pay', async () => {
  const { consumer } = await createPayShop(app);
  const { body } = await call(app, 'GET', '/payments/methods', undefined, consumer);
  expect(body).toEqual([{ id: 1, method_name: 'Card', is_external: false }]);
});

test('200: the stores that the merchant has set up are external methods', async () => {
  const { merchant, consumer } = await createPayShop(app);
  await call(app, 'PUT', '/stores/roku', { partner_api_key: 'key-of-a-partner', channel_id: '12345' }, merchant);
  const { body } = await call(app, 'GET', '/payments/methods', undefined, consumer);
  expect(body).toEqual([
    { id: 1, method_name: 'Card', is_external: false },
    { id: 6, method_name: 'Roku Channel Store', is_external: true },
  ]);
});

test('200: not by what the master of a follower has switched off', async () => {
  const { merchant } = await createPayShop(app);
  const { email, ...fields } = newFollower({ 'methods[1]': false });
  const made = await call<CreatedFollower>(app, 'POST', '/accounts/merchants', { email, ...fields }, merchant);
  const follower = await signIn(app, email, made.body.account.uuid);
  expect((await call(app, 'GET', '/payments/methods', undefined, follower)).body).toEqual([]);
});
