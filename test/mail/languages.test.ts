import { randomUUID } from 'node:crypto';
import { call } from '../support/client';
import {
  createConsumer,
  createMerchant,
  createShop,
  password,
  type Person,
  reaches,
  registration,
  type Shop,
  subscribe,
} from '../support/factories';
import { receives } from '../support/mailbox';
import { startApp, type TestApp } from '../support/startApp';
import { giveGift } from '../support/vouchers';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

const speaking = (languages: string) => ({ headers: { 'Accept-Language': languages } });
const arabic = speaking('ar-EG,ar;q=0.9,en;q=0.5');

/** Registers with the languages of a browser, and returns the mail that activates the account. */
async function register(merchant: Person, languages: string) {
  const fields = registration('consumer', merchant.uuid);
  expect((await call(app, 'POST', '/accounts', fields, speaking(languages))).status).toBe(200);
  return receives(app, merchant, fields.username, 'activation');
}

function signIn({ email, merchantUuid }: Person, languages: string) {
  const fields = { client_id: merchantUuid, grant_type: 'password', username: email, password };
  return call(app, 'POST', '/accounts/authenticate', fields, speaking(languages));
}

async function receiptOf(shop: Shop) {
  const { body } = await subscribe(app, shop);
  await reaches(app, shop.consumer, body.subscription_id, 'active');
  return receives(app, shop.merchant, shop.consumer.email, 'receipt');
}

const merchantSpeaking = async (languages: string): Promise<Person> => {
  const merchant = await createMerchant(app);
  const fields = { client_id: 'platform', grant_type: 'password', username: merchant.email, password };
  expect((await call(app, 'POST', '/accounts/authenticate', fields, speaking(languages))).status).toBe(200);
  return merchant;
};

test('receipt: an Arabic customer gets it in Arabic, with the day and the amount', async () => {
  const shop = await createShop(app);
  expect((await signIn(shop.consumer, 'ar')).status).toBe(200);
  const { subject, text, html } = await receiptOf(shop);
  const day = new Intl.DateTimeFormat('ar', { month: 'long', timeZone: 'UTC' }).format(new Date());
  expect(subject).toBe('إيصالك من \u2068Ana Petrova\u2069');
  expect(html).toContain('<html lang="ar" dir="rtl">');
  expect(text).toContain(day);
  expect(text).toContain('9.99');
  expect(text).toContain('الرقم المرجعي');
});

test('receipt: an English customer of the same merchant gets it in English', async () => {
  const shop = await createShop(app);
  expect((await signIn(shop.consumer, 'en-GB,ar;q=0.5')).status).toBe(200);
  const { subject, text, html } = await receiptOf(shop);
  const day = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(new Date());
  expect(subject).toBe('Your receipt from Ana Petrova');
  expect(html).toContain('<html lang="en" dir="ltr">');
  expect(text).toMatch(new RegExp(`€9\\.99, paid on \\d+ ${day}\\. Thank you\\.`));
});

test('activation: the language of the registration', async () => {
  const merchant = await createMerchant(app);
  expect((await register(merchant, 'ar')).subject).toBe('فعّل حسابك لدى \u2068Ana Petrova\u2069');
  expect((await register(merchant, 'en')).subject).toBe('Activate your account at Ana Petrova');
});

test('activation: without a known language, the language of the merchant, else English', async () => {
  expect((await register(await merchantSpeaking('ar'), 'sv')).subject).toBe('فعّل حسابك لدى \u2068Ana Petrova\u2069');
  expect((await register(await merchantSpeaking('sv'), 'sv')).subject).toBe('Activate your account at Ana Petrova');
});

test('gift: the language of the buyer', async () => {
  const shop = await createShop(app);
  await signIn(shop.consumer, 'ar');
  const receiver = `receiver-${randomUUID()}@example.org`;
  await giveGift(shop, receiver);
  expect((await receives(app, shop.merchant, receiver, 'gift')).subject).toBe('هدية لك لدى \u2068Ana Petrova\u2069');
});

test('account_erased: the language of the account that was erased', async () => {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  await signIn(consumer, 'ar');
  expect((await call(app, 'DELETE', '/accounts/erase', { password }, consumer)).status).toBe(202);
  expect((await receives(app, merchant, consumer.email, 'account_erased')).html).toContain('lang="ar" dir="rtl"');
});

test('a sign-in in a language without mails leaves the language as it is', async () => {
  const merchant = await createMerchant(app);
  const fields = registration('consumer', merchant.uuid);
  await call(app, 'POST', '/accounts', fields, arabic);
  const credentials = { client_id: merchant.uuid, grant_type: 'password', username: fields.username, password };
  expect((await call(app, 'POST', '/accounts/authenticate', credentials, speaking('sv'))).status).toBe(200);
  const { rows } = await app.pool.query('SELECT language FROM accounts WHERE email = $1', [fields.username]);
  expect(rows).toEqual([{ language: 'ar' }]);
});
