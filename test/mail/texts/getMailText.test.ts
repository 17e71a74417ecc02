import { createMerchant } from '../../support/factories';
import { callText } from '../../support/mailTexts';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

test('200: a mail that protects its reader keeps its closing, and a mail without a button has none', async () => {
  const merchant = await createMerchant(app);
  const get = async (kind: string) => (await callText(app, `GET ${kind}/en`, merchant)).body;
  expect(await get('password_reset')).toMatchObject({
    has_fixed_closing: true,
    standard: { button: 'Choose a new password' },
  });
  expect(await get('pin_code')).toMatchObject({ has_fixed_closing: true, standard: { button: null } });
  expect(await get('payment_failed')).toMatchObject({ has_fixed_closing: false, standard: { button: 'Pay now' } });
});

test('404 mail_text_not_found: a mail to the merchant, or a language that mails do not have', async () => {
  const merchant = await createMerchant(app);
  for (const place of ['dispute_opened/en', 'receipt/nl'])
    expect(await callText(app, `GET ${place}`, merchant)).toMatchObject({
      status: 404,
      body: { error: 'mail_text_not_found' },
    });
});
