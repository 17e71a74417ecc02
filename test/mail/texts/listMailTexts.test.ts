import { customerMails } from '../../../src/mail/texts/texts.schemas';
import { call } from '../../support/client';
import { mailText } from '../../support/examples/mailTexts';
import { createMerchant, type Person } from '../../support/factories';
import { callText, type MailTextBody } from '../../support/mailTexts';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
let merchant: Person;

beforeAll(async () => {
  app = await startApp();
  merchant = await createMerchant(app);
  await callText(app, 'PUT receipt/de', merchant, mailText);
});
afterAll(() => app.stop());

const list = async (query: string, caller = merchant) =>
  (await call<{ collection: MailTextBody[] }>(app, 'GET', `/v2/mail-texts${query}`, undefined, caller)).body.collection;

test('200: all mails to customers in English, with their placeholders and standard texts', async () => {
  const mails = await list('');
  expect(mails.map(({ kind }) => kind)).toEqual(customerMails);
  expect(mails.find(({ kind }) => kind === 'card_expires')).toEqual({
    kind: 'card_expires',
    language: 'en',
    placeholders: ['brand', 'digits', 'date', 'description', 'token'],
    has_fixed_closing: false,
    standard: {
      subject: 'Your card for {brand} expires soon',
      opening: expect.stringContaining('{digits}') as string,
      closing: 'Reference: {token}',
      button: 'Update card',
    },
    own: null,
    changed_languages: [],
  });
});

test('200: the text of the merchant in the language, and the languages that have one', async () => {
  const receipt = async (query: string, caller?: Person) =>
    (await list(query, caller)).find(({ kind }) => kind === 'receipt');
  expect(await receipt('?language=de')).toMatchObject({ own: mailText, changed_languages: ['de'] });
  expect(await receipt('?language=ar')).toMatchObject({ own: null, changed_languages: ['de'] });
  expect(await receipt('?language=de', await createMerchant(app))).toMatchObject({ own: null, changed_languages: [] });
});

test('422 invalid_input: a language that the installation does not have', async () => {
  const reply = await call(app, 'GET', '/v2/mail-texts?language=nl', undefined, merchant);
  expect(reply).toMatchObject({ status: 422, body: { error: 'invalid_input' } });
});
