import { languages } from '../../../src/kit/languages';
import { customerMails } from '../../../src/mail/texts/texts.schemas';
import { mailText } from '../../support/examples/mailTexts';
import { createMerchant, type Person } from '../../support/factories';
import { callText, ownText, refusedText } from '../../support/mailTexts';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
let merchant: Person;

beforeAll(async () => {
  app = await startApp();
  merchant = await createMerchant(app);
});
afterAll(() => app.stop());

interface Preview {
  subject: string;
  text: string;
  html: string;
}

const preview = (place: string, fields: Record<string, unknown> = {}, caller = merchant) =>
  callText<Preview>(app, `POST ${place}/preview`, caller, fields);

test('200: the sent text with the values of an example, and nothing is saved', async () => {
  const { status, body } = await preview('receipt/en', mailText);
  expect([status, body.subject]).toEqual([200, 'Thank you from Ana Petrova']);
  expect(body.text).toContain('You have paid €9.99 for Monthly pass.\n\nEnjoy it!');
  expect(body.html).toMatch(/You have paid €9\.99 for Monthly pass\.<\/p>\s*<p/);
  expect(body.html).toContain('>Watch now</a>');
  expect(await ownText(app, 'receipt/en', merchant)).toBeNull();
});

test('200: HTML is shown as it is written', async () => {
  const { body } = await preview('receipt/en', { subject: '<b>A & B</b>', opening: '<script>alert(1)</script>' });
  expect(body.html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(body.html).not.toMatch(/<script|<b>/);
  expect(body.text).toContain('<script>alert(1)</script>');
});

test('200: absent fields have the standard text', async () => {
  const { body } = await preview('receipt/en', { opening: 'Hello.' });
  expect(body.subject).toBe('Your receipt from Ana Petrova');
  expect(body.text).toMatch(/^Hello\.\n[^]*Reference: S-EXAMPLE/);
});

test('200: without a field, the saved text of the merchant, or the standard one', async () => {
  await callText(app, 'PUT refund/en', merchant, mailText);
  expect((await preview('refund/en')).body.subject).toBe('Thank you from Ana Petrova');
  const other = await createMerchant(app);
  expect((await preview('refund/en', {}, other)).body.subject).toBe('Your refund from Ana Petrova');
});

test.each(customerMails)('200: %s in each language, without a placeholder that stays', async (kind) => {
  for (const language of languages) {
    const { status, body } = await preview(`${kind}/${language}`);
    expect([language, status]).toEqual([language, 200]);
    for (const part of [body.subject, body.text]) expect(part).not.toMatch(/\{\w+\}/);
    expect(body.html).toContain(`lang="${language}"`);
  }
});

test('404 mail_text_not_found: a mail to the merchant', async () => {
  expect(await preview('report/en')).toMatchObject({ status: 404, body: { error: 'mail_text_not_found' } });
});

test('422 invalid_input: an unknown placeholder', async () => {
  const said = 'The opening has the placeholder {nmae}, which this mail does not have.';
  expect(await preview('receipt/en', { opening: 'Dear {nmae}' })).toMatchObject(refusedText('opening', said));
});
