import { customerMails } from '../../../src/mail/texts/texts.schemas';
import { call } from '../../support/client';
import { mailText } from '../../support/examples/mailTexts';
import { createMerchant, type Person } from '../../support/factories';
import { callText, ownText, refusedText } from '../../support/mailTexts';
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

const least = { subject: 'News of {brand}', opening: 'Hello.' };
const set = (place: string, fields: Record<string, unknown>) => callText(app, `PUT ${place}`, merchant, fields);

test('200: the text is stored for this mail, this language and this merchant', async () => {
  const other = await createMerchant(app);
  const saved = await set('receipt/de', mailText);
  expect(saved).toMatchObject({
    status: 200,
    body: { kind: 'receipt', language: 'de', own: mailText, changed_languages: ['de'] },
  });
  expect(await ownText(app, 'receipt/de', merchant)).toEqual(saved.body.own);
  for (const place of ['receipt/en', 'refund/de']) expect(await ownText(app, place, merchant)).toBeNull();
  expect(await ownText(app, 'receipt/de', other)).toBeNull();
});

test('200: a text replaces the former one as a whole, also when it is sent twice at once', async () => {
  await set('receipt/de', mailText);
  const replies = await Promise.all([set('receipt/de', least), set('receipt/de', least)]);
  expect(replies.map(({ status }) => status)).toEqual([200, 200]);
  expect(await ownText(app, 'receipt/de', merchant)).toMatchObject({
    ...least,
    heading: null,
    closing: null,
    button: null,
  });
});

test.each(customerMails)('200: %s takes a text with all its placeholders', async (kind) => {
  const { placeholders } = (await callText(app, `GET ${kind}/en`, merchant)).body;
  const opening = placeholders.map((name) => `{${name}}`).join(' ');
  expect(placeholders).toContain('brand');
  expect(await set(`${kind}/en`, { ...least, opening })).toMatchObject({ status: 200, body: { own: { opening } } });
});

test('200: line breaks of a browser are kept as one character each', async () => {
  await set('receipt/en', { ...least, opening: 'One.\r\n\r\nTwo.\rThree.' });
  expect(await ownText(app, 'receipt/en', merchant)).toMatchObject({ opening: 'One.\n\nTwo.\nThree.' });
});

test('200: the change is in the audit log', async () => {
  await set('receipt/de', mailText);
  const { body } = await call<{ collection: object[] }>(app, 'GET', '/audit', undefined, merchant);
  expect(body.collection[0]).toMatchObject({
    action: 'mail_text.update',
    object_type: 'mail_text',
    object_id: 'receipt/de',
  });
});

test.each([
  ['subject', '{amout} paid', '{amout}'],
  ['heading', 'For {Amount}', '{Amount}'],
  ['opening', 'For { amount }', '{ amount }'],
  ['opening', 'For {amount', '{amount'],
  ['opening', 'For amount}', '}'],
  ['opening', 'For {{amount}}', '{'],
  ['closing', 'On {url}', '{url}'],
  ['button', 'Pay {amount}', '{amount}'],
])('422 invalid_input: %s with %p names the placeholder', async (field, text, wrong) => {
  const said = `The ${field} has the placeholder ${wrong}, which this mail does not have.`;
  expect(await set('receipt/de', { ...mailText, [field]: text })).toMatchObject(refusedText(field, said));
  expect(await ownText(app, 'receipt/de', merchant)).toBeNull();
});

test('422 invalid_input: a placeholder of another mail', async () => {
  const said = 'The subject has the placeholder {digits}, which this mail does not have.';
  expect(await set('receipt/de', { ...least, subject: '{digits}' })).toMatchObject(refusedText('subject', said));
  expect(await set('card_expires/de', { ...least, subject: '{digits}' })).toMatchObject({ status: 200 });
});

test('422 invalid_input: all wrong fields are named at once', async () => {
  const { body } = await set('receipt/de', { subject: '{one}', opening: '{two}', closing: '{three}' });
  expect(Object.keys((body as unknown as { errors: object }).errors)).toEqual(['subject', 'opening', 'closing']);
});

test.each([
  ['subject', 'Hello\r\nBcc: all@example.org'],
  ['subject', 'Hello\u2028there'],
  ['heading', 'Hello\tthere'],
  ['button', 'Pay\nnow'],
])('422 invalid_input: %s of more than one line: %j', async (field, text) => {
  const said = `The ${field} must be one line without control characters.`;
  expect(await set('receipt/de', { ...mailText, [field]: text })).toMatchObject(refusedText(field, said));
});

test.each(['opening', 'closing'])('422 invalid_input: %s with a control character', async (field) => {
  const said = `The ${field} must have no control characters.`;
  expect(await set('receipt/de', { ...mailText, [field]: 'a\u0007b' })).toMatchObject(refusedText(field, said));
});

test.each([
  ['subject', 200],
  ['heading', 200],
  ['opening', 3000],
  ['closing', 1000],
  ['button', 60],
])('422 invalid_input: %s of more than %i characters', async (field, max) => {
  const said = `The ${field} must be at most ${max} characters.`;
  expect(await set('receipt/de', { ...mailText, [field]: 'x'.repeat(max + 1) })).toMatchObject(
    refusedText(field, said),
  );
  expect(await set('receipt/de', { ...mailText, [field]: 'x'.repeat(max) })).toMatchObject({ status: 200 });
});

test('422 invalid_input: the closing of a mail that protects its reader', async () => {
  const said = 'The closing must be absent, because the standard one protects the reader.';
  for (const kind of ['activation', 'password_reset', 'sign_in_link', 'pin_code', 'password_changed', 'new_sign_in'])
    expect(await set(`${kind}/en`, { ...least, closing: 'Bye' })).toMatchObject(refusedText('closing', said));
});

test('422 invalid_input: the button of a mail that has none', async () => {
  const said = 'The button must be absent, because this mail has none.';
  expect(await set('pin_code/en', { ...least, button: 'Go' })).toMatchObject(refusedText('button', said));
});

test('400 missing_parameter: without a subject or an opening', async () => {
  expect(await set('receipt/de', { closing: 'Bye' })).toMatchObject({
    status: 400,
    body: {
      error: 'missing_parameter',
      errors: { subject: 'The subject must not be empty.', opening: 'The opening must not be empty.' },
    },
  });
});

test.each(['report/en', 'staff_invitation/en', 'sample/en', 'receipt/nl', 'receipt/EN', 'constructor/en'])(
  '404 mail_text_not_found: %s is no mail to customers in a language of the installation',
  async (place) => {
    const missing = { status: 404, body: { error: 'mail_text_not_found' } };
    expect(await set(place, least)).toMatchObject(missing);
  },
);

test('403 forbidden: staff without the right to change the branding', async () => {
  const support = await createStaff(app, merchant, { role: 'support' });
  const editor = await createStaff(app, merchant, { role: 'editor' });
  expect(await callText(app, 'PUT receipt/de', support, least)).toMatchObject({ status: 403 });
  expect(await callText(app, 'PUT receipt/de', editor, least)).toMatchObject({ status: 200 });
});
