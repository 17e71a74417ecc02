import { call } from '../../support/client';
import { offerDebits } from '../../support/debits';
import { createMerchant } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp({ CARD_PROVIDER: 'none' })));

afterAll(() => app.stop());

test('422 invalid_input: without a payment account there are no direct debits', async () => {
  const merchant = await createMerchant(app);
  const reply = await offerDebits(app, { merchant });
  expect(reply).toMatchObject({
    status: 422,
    body: { error: 'invalid_input', errors: { payment_methods: expect.stringContaining('direct_debit') as string } },
  });
  const { body } = await call(app, 'GET', '/accounts/settings', undefined, merchant);
  expect(body).toMatchObject({ payment_methods: ['card'] });
});
