import { mailText } from '../../support/examples/mailTexts';
import { createMerchant, type Person } from '../../support/factories';
import { mailsTo, receives } from '../../support/mailbox';
import { callText } from '../../support/mailTexts';
import { createStaff } from '../../support/staff';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
let merchant: Person;

beforeAll(async () => {
  app = await startApp();
});
beforeEach(async () => {
  merchant = await createMerchant(app);
});
afterAll(() => app.stop());

const send = (place: string, caller: Person, fields: Record<string, unknown> = {}) =>
  callText(app, `POST ${place}/test`, caller, fields);

test('200: the sent text goes to the caller and nobody else', async () => {
  const editor = await createStaff(app, merchant, { role: 'editor' });
  expect(await send('receipt/de', editor, { ...mailText, to: 'stranger@example.org' })).toMatchObject({ status: 200 });
  const mail = await receives(app, merchant, editor.email, 'sample');
  expect(mail.subject).toBe('Test: Thank you from Ana Petrova');
  expect(mail.text).toMatch(/^Thank you\n\nYou have paid 9,99\s€ for Monthly pass\.\n\nEnjoy it!\n/);
  expect(mail.html).toContain('lang="de"');
  expect(await mailsTo(app, merchant, 'stranger@example.org')).toEqual([]);
});

test('200: without a field, the saved text, or the standard one', async () => {
  await callText(app, 'PUT receipt/de', merchant, mailText);
  await send('receipt/de', merchant);
  const saved = await receives(app, merchant, merchant.email, 'sample');
  expect(saved.subject).toBe('Test: Thank you from Ana Petrova');
  await send('refund/ar', merchant);
  const standard = await receives(app, merchant, merchant.email, 'sample', saved.id);
  expect(standard.subject).toMatch(/^اختبار: .*Ana Petrova/);
});

test('429 too_many_requests: the 21st test mail of a person in an hour', async () => {
  for (let nth = 1; nth <= 20; nth += 1) expect((await send('receipt/de', merchant)).status).toBe(200);
  expect(await send('refund/de', merchant)).toMatchObject({ status: 429, body: { error: 'too_many_requests' } });
  const editor = await createStaff(app, merchant, { role: 'editor' });
  expect((await send('receipt/de', editor)).status).toBe(200);
});

test('404 mail_text_not_found: a mail to the merchant', async () => {
  expect(await send('report/de', merchant)).toMatchObject({ status: 404, body: { error: 'mail_text_not_found' } });
});

test('422 invalid_input: an unknown placeholder, and no mail is sent', async () => {
  expect(await send('receipt/de', merchant, { opening: '{x}' })).toMatchObject({ status: 422 });
  expect((await mailsTo(app, merchant, merchant.email)).filter(({ template }) => template === 'sample')).toEqual([]);
});
