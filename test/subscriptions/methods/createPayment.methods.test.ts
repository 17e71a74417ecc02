import { call } from '../../support/client';
import { purchase } from '../../support/factories';
import { newFollower, signIn, type CreatedFollower } from '../../support/followers';
import { createPayShop } from '../../support/payments';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));

afterAll(() => app.stop());

const returnUrl = 'https://shop.example.org/back?ippwat=ppv';
const calls = [
  ['/v2/payments', { payment_method: 'Direct Debit' }],
  ['/v2/payments', { payment_method: 'ideal', bank: 'abn_amro', return_url: returnUrl }],
  ['/v2/payments', { payment_method: 'google pay on web' }],
  ['/v2/payments', { payment_method: 'apple pay on web' }],
  ['/payments', { payment_method: 2 }],
] as const;

test.each(calls)('422 payment_method_not_offered: POST %s with %o', async (path, fields) => {
  const shop = await createPayShop(app);
  const body = { access_fee_id: shop.fee.id, item_id: shop.item.id, ...fields };
  const reply = await call(app, 'POST', path, body, shop.consumer);
  expect(reply.status).toBe(422);
  expect(reply.body).toMatchObject({ error: 'payment_method_not_offered' });
});

test('422 invalid_input: a method that nobody knows', async () => {
  const shop = await createPayShop(app);
  const reply = await call(app, 'POST', '/payments', { ...purchase(shop), payment_method: 'shells' }, shop.consumer);
  expect(reply.status).toBe(422);
  expect(reply.body).toMatchObject({ error: 'invalid_input' });
});

test('422 payment_method_not_offered: the master of a follower has turned cards off', async () => {
  const { merchant, ...shop } = await createPayShop(app);
  const { email, ...fields } = newFollower({ 'methods[1]': false });
  const made = await call<CreatedFollower>(app, 'POST', '/accounts/merchants', { email, ...fields }, merchant);
  const follower = await signIn(app, email, made.body.account.uuid);
  const reply = await call(app, 'POST', '/payments', purchase({ merchant, ...shop }), follower);
  expect(reply.body).toMatchObject({ code: 422, error: 'payment_method_not_offered' });
});

test('422 invalid_input: a payment account without a form cannot make payments by Link', async () => {
  const shop = await createPayShop(app);
  const wanted = { payment_methods: ['card', 'link'] };
  const reply = await call<{ errors: object }>(app, 'PUT', '/accounts/settings', wanted, shop.merchant);
  expect(reply.status).toBe(422);
  expect(reply.body.errors).toEqual({
    payment_methods: 'The payment_methods must not contain link: the payment account cannot make payments by Link.',
  });
});
