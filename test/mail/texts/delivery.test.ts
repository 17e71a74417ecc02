import { call } from '../../support/client';
import { createConsumer, createMerchant, type Person } from '../../support/factories';
import { mailText } from '../../support/examples/mailTexts';
import { tokenIn } from '../../support/mailbox';
import { type MailServer, startMailServer } from '../../support/mailServer';
import { callText } from '../../support/mailTexts';
import { startApp, type TestApp } from '../../support/startApp';
import { until } from '../../support/until';

/** Own texts over SMTP. */

let app: TestApp;
let mailServer: MailServer;
let merchant: Person;

beforeAll(async () => {
  mailServer = await startMailServer();
  app = await startApp({ SMTP_URL: mailServer.url, MAIL_FROM: 'news@mail.example.org', RATE_LIMIT_MAILS: '100' });
});
beforeEach(async () => {
  merchant = await createMerchant(app);
});
afterAll(async () => {
  await app.stop();
  await mailServer.stop();
});

const arrives = (to: string, subject: string) =>
  until(() => mailServer.received.find((mail) => mail.recipients.includes(to) && mail.subject?.includes(subject)));

const own = {
  subject: 'Los geht’s bei {brand}: <jetzt>',
  heading: 'Willkommen!',
  opening: 'Hallo & <b>herzlich</b> willkommen bei {brand}.\n\nEin Klick fehlt noch.',
  button: 'Konto öffnen',
};

const reset = (email: string) =>
  call(app, 'POST', '/accounts/forgot-password', { merchant_uuid: merchant.uuid, email });

async function createReader(language: string | null): Promise<Person> {
  const consumer = await createConsumer(app, merchant);
  await app.pool.query('UPDATE accounts SET language = $2 WHERE id = $1', [consumer.id, language]);
  return consumer;
}

test('an own text arrives in both parts, and its button and safety sentence stay', async () => {
  await callText(app, 'PUT password_reset/de', merchant, own);
  const reader = await createReader('de');
  await reset(reader.email);
  const mail = await arrives(reader.email, 'Los geht');
  expect(mail.subject).toBe('Los geht’s bei Ana Petrova: <jetzt>');
  expect(mail.text).toContain('Hallo & <b>herzlich</b> willkommen bei Ana Petrova.\n\nEin Klick fehlt noch.');
  expect(mail.html).toContain('Hallo &amp; &lt;b&gt;herzlich&lt;/b&gt; willkommen bei Ana Petrova.');
  expect(mail.html).toContain('>Konto öffnen</a>');
  const standard = (await callText(app, 'GET password_reset/de', merchant)).body.standard.closing;
  for (const part of [mail.text, mail.html]) expect(part).toContain(standard);
  const fields = { password: 'another-horse-battery', password_confirmation: 'another-horse-battery' };
  expect(await call(app, 'PUT', `/accounts/forgot-password/${tokenIn(mail)}`, fields)).toMatchObject({ status: 200 });
});

test.each([
  ['fr', 'Définissez un nouveau mot de passe'],
  [null, 'Set a new password'],
])('a reader of %s has the standard text where only German has another', async (language, subject) => {
  await callText(app, 'PUT password_reset/de', merchant, own);
  const reader = await createReader(language);
  await reset(reader.email);
  expect((await arrives(reader.email, subject)).text).not.toContain('herzlich');
});

test('another merchant’s text is not used', async () => {
  const other = await createMerchant(app);
  await callText(app, 'PUT password_reset/en', other, { subject: 'Mine', opening: 'Mine' });
  const reader = await createReader('en');
  await reset(reader.email);
  expect((await arrives(reader.email, 'Set a new password')).text).not.toContain('Mine');
});

test('the text of the moment of the delivery is used, and the standard one after a deletion', async () => {
  await callText(app, 'PUT password_reset/en', merchant, { subject: 'First', opening: 'First' });
  await callText(app, 'PUT password_reset/en', merchant, { subject: 'Second', opening: 'Second' });
  const reader = await createReader('en');
  await reset(reader.email);
  await arrives(reader.email, 'Second');
  await callText(app, 'DELETE password_reset/en', merchant);
  await reset(reader.email);
  await arrives(reader.email, 'Set a new password');
});

test('the owner and the staff read the standard text, so that no editor can mislead them', async () => {
  await callText(app, 'PUT password_reset/en', merchant, { subject: 'Mine', opening: 'Mine' });
  await app.pool.query(`UPDATE accounts SET language = 'en' WHERE id = $1`, [merchant.id]);
  await call(app, 'POST', '/accounts/forgot-password', { merchant_uuid: 'platform', email: merchant.email });
  expect((await arrives(merchant.email, 'Set a new password')).text).not.toContain('Mine');
});

test('a test mail arrives with the text of the form', async () => {
  await callText(app, 'POST receipt/en/test', merchant, mailText);
  const mail = await arrives(merchant.email, 'Test: ');
  expect(mail.subject).toBe('Test: Thank you from Ana Petrova');
  expect(mail.html).toContain('>Watch now</a>');
});
