import { call, requestChange } from '../../support/client';
import { createShop, reaches, type Shop, type Submitted } from '../../support/factories';
import { createPayShop, settles, type SubmittedPayment } from '../../support/payments';
import { sandboxFormSettings } from '../../support/sandboxForm';
import { startApp, type TestApp } from '../../support/startApp';

/** A merchant can enable cards without Link, and Link without cards. The token decides, and not the name in the request. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp(sandboxFormSettings());
  await app.startWorker();
});

afterAll(() => app.stop());

const enable = ({ merchant }: Shop, ...names: string[]) =>
  call(app, 'PUT', '/accounts/settings', { payment_methods: names }, merchant);

const subscribe = ({ fee, consumer }: Shop, fields: object) =>
  call<Submitted>(app, 'POST', '/subscriptions', { access_fee: fee.id, ...fields }, consumer);

const pay = ({ fee, consumer }: Shop, fields: object) =>
  call<SubmittedPayment>(app, 'POST', '/v2/payments', { access_fee_id: fee.id, ...fields }, consumer);

const saveDefault = ({ consumer }: Shop, payment_token: string) =>
  call(app, 'PUT', '/v2/payments/cards/default', { payment_token, currency_iso: 'EUR' }, consumer);

const changeMethod = ({ consumer }: Shop, id: string, payment_method: string) =>
  requestChange(app, 'PUT', `/v2/subscriptions/${id}/payment-method`, { payment_method }, consumer);

const refused = { status: 422, body: { code: 422, error: 'payment_method_not_offered' } };

describe('a merchant with Link only', () => {
  test.each([{}, { payment_method: 'Card' }, { payment_method: 'Link' }])(
    '202: a token of Link with %o',
    async (named) => {
      const shop = await createShop(app);
      await enable(shop, 'link');
      const { body } = await subscribe(shop, { ...named, payment_token: 'tok_link' });
      await reaches(app, shop.consumer, body.subscription_id, 'active');
      const paying = await createPayShop(app);
      await enable(paying, 'link');
      const paid = await pay(paying, { ...named, payment_token: 'tok_link' });
      await settles(app, paid.body.transaction, 'paid');
    },
  );

  test('200: a saved Link pays by default, and for a subscription from now on', async () => {
    const shop = await createShop(app);
    await enable(shop, 'link');
    await saveDefault(shop, 'tok_link');
    const { body } = await subscribe(shop, {});
    await reaches(app, shop.consumer, body.subscription_id, 'active');
    expect((await changeMethod(shop, body.subscription_id, 'Card')).status).toBe(200);
  });

  test.each([{}, { payment_method: 'Card' }, { payment_method: 'Link' }])(
    '422 payment_method_not_offered: a token of a card with %o',
    async (named) => {
      const shop = await createShop(app);
      await enable(shop, 'link');
      expect(await subscribe(shop, { ...named, payment_token: 'tok_success' })).toMatchObject(refused);
      const paying = await createPayShop(app);
      await enable(paying, 'link');
      expect(await pay(paying, { ...named, payment_token: 'tok_success' })).toMatchObject(refused);
    },
  );

  test.each([{}, { payment_method: 'Link' }])(
    '422 payment_method_not_offered: a card that was saved before, with %o',
    async (named) => {
      const shop = await createShop(app);
      await saveDefault(shop, 'tok_success');
      await enable(shop, 'link');
      expect(await subscribe(shop, named)).toMatchObject(refused);
    },
  );

  test('422 payment_method_not_offered: a running subscription changes to a card that was saved before', async () => {
    const shop = await createShop(app);
    const { body } = await subscribe(shop, { payment_token: 'tok_success' });
    await reaches(app, shop.consumer, body.subscription_id, 'active');
    await enable(shop, 'link');
    expect(await changeMethod(shop, body.subscription_id, 'Link')).toMatchObject(refused);
  });
});

test('422 payment_method_not_offered: a saved Link, after the merchant has turned Link off', async () => {
  const shop = await createShop(app);
  await enable(shop, 'card', 'link');
  await saveDefault(shop, 'tok_link');
  await enable(shop, 'card');
  expect(await subscribe(shop, {})).toMatchObject(refused);
});

describe('a merchant with Google Pay only', () => {
  test('200: the token of its card, with its name', async () => {
    const shop = await createPayShop(app);
    await enable(shop, 'google_pay');
    const { body } = await pay(shop, { payment_method: 'google pay', payment_token: 'tok_success' });
    await settles(app, body.transaction, 'paid');
  });

  test('422 payment_method_not_offered: a token of Link with its name, and a card without it', async () => {
    const shop = await createPayShop(app);
    await enable(shop, 'google_pay');
    expect(await pay(shop, { payment_method: 'google pay', payment_token: 'tok_link' })).toMatchObject(refused);
    expect(await pay(shop, { payment_token: 'tok_success' })).toMatchObject(refused);
  });
});
