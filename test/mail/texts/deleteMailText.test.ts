import { call } from '../../support/client';
import { mailText } from '../../support/examples/mailTexts';
import { createMerchant, type Person } from '../../support/factories';
import { callText, ownText } from '../../support/mailTexts';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
let merchant: Person;

beforeAll(async () => {
  app = await startApp();
});
beforeEach(async () => {
  merchant = await createMerchant(app);
  await callText(app, 'PUT receipt/de', merchant, mailText);
});
afterAll(() => app.stop());

test('200: the standard text again, in this language only, with an entry in the audit log', async () => {
  await callText(app, 'PUT receipt/en', merchant, mailText);
  expect(await callText(app, 'DELETE receipt/de', merchant)).toMatchObject({ status: 200 });
  expect(await ownText(app, 'receipt/de', merchant)).toBeNull();
  expect(await ownText(app, 'receipt/en', merchant)).toMatchObject(mailText);
  const { body } = await call<{ collection: object[] }>(app, 'GET', '/audit', undefined, merchant);
  expect(body.collection[0]).toMatchObject({ action: 'mail_text.delete', object_id: 'receipt/de' });
});

test('404 mail_text_not_found: another merchant’s text, which stays', async () => {
  const other = await createMerchant(app);
  const missing = { status: 404, body: { error: 'mail_text_not_found' } };
  expect(await callText(app, 'DELETE receipt/de', other)).toMatchObject(missing);
  expect(await ownText(app, 'receipt/de', merchant)).toMatchObject(mailText);
});

test('404 mail_text_not_found: a standard text, and an unknown mail', async () => {
  for (const place of ['refund/de', 'report/de'])
    expect(await callText(app, `DELETE ${place}`, merchant)).toMatchObject({ status: 404 });
});
