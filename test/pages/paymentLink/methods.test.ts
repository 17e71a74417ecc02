import { call } from '../../support/client';
import { accounts, charged } from '../../support/debits';
import { reaches } from '../../support/factories';
import { chargesOf } from '../../support/ledger';
import { openLink, pressButton } from '../../support/mailLinks';
import { owedByDebit, owedByLink, owedByPaypal, owedRenewal } from '../../support/owedRenewal';
import { sandboxFormSettings } from '../../support/sandboxForm';
import { startApp, type TestApp } from '../../support/startApp';
import { passDays } from '../../support/testClock';

/** The link of the mail about a failed renewal charges each saved method, and names it. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp(sandboxFormSettings());
  await app.startWorker();
});

afterAll(() => app.stop());

const statusesOf = async (id: string) => (await chargesOf(app, id)).map(({ status }) => status);
const meansIn = (text: string) => /<p class="quiet small">([^<]*)<\/p>/.exec(text)?.[1];

test.each([
  ['Link', owedByLink],
  ['PayPal', owedByPaypal],
] as const)('303: a saved %s is named, and charged once', async (name, owed) => {
  const { shop, id, path } = await owed(app);
  for (const language of ['en', 'ar']) expect(meansIn((await openLink(app, path, language)).body)).toBe(name);
  expect(await statusesOf(id)).toEqual(['paid', 'declined']);
  await Promise.all([pressButton(app, path), pressButton(app, path)]);
  await reaches(app, shop.consumer, id, 'active');
  await pressButton(app, path);
  expect(await statusesOf(id)).toEqual(['paid', 'declined', 'paid']);
  expect((await openLink(app, path)).body).toContain('Payment received');
});

test('303: a bank account is named and debited once, and the page waits for the bank', async () => {
  const { shop, id, path } = await owedByDebit(app);
  expect(meansIn((await openLink(app, path)).body)).toBe('Direct debit ending in 3006');
  expect(meansIn((await openLink(app, path, 'ar')).body)).toBe('الخصم المباشر، آخر الأرقام 3006');
  await Promise.all([pressButton(app, path), pressButton(app, path)]);
  await charged(app, id, 'processing', '2:2');
  const waiting = await openLink(app, path);
  expect(waiting.body).not.toContain('method="post"');
  await pressButton(app, path);
  await passDays(app, shop.merchant, 6);
  await reaches(app, shop.consumer, id, 'active');
  expect(await statusesOf(id)).toEqual(['paid', 'declined', 'paid']);
  expect((await openLink(app, path)).body).toContain('Payment received');
});

const alertIn = (text: string) => /<p class="alert bad" role="alert">([^<]*)<\/p>/.exec(text)?.[1];

test.each([
  ['en', 'There was not enough money in the account.'],
  ['ar', 'الرصيد غير كافٍ.'],
])('200: a debit that fails again is explained without a card, in %s', async (language, text) => {
  const { path } = await owedByDebit(app, accounts.failedAtRenewal);
  expect(alertIn((await openLink(app, path, language)).body)).toBe(text);
});

test.each([
  ['en', 'The payment was declined.'],
  ['ar', 'رُفضت الدفعة.'],
])('200: a payment by PayPal that failed is explained without a card, in %s', async (language, text) => {
  const { path } = await owedByPaypal(app);
  expect(alertIn((await openLink(app, path, language)).body)).toBe(text);
});

test('200: a payment by card that failed is explained by the message of the bank', async () => {
  const { path } = await owedRenewal(app);
  expect(alertIn((await openLink(app, path)).body)).toBe('Your card was declined.');
});

test('200: without a saved method the page has no button, and the button charges nothing', async () => {
  const { id, path } = await owedRenewal(app);
  await app.pool.query('UPDATE subscriptions SET card_id = NULL WHERE token = $1', [id]);
  const { body } = await openLink(app, path);
  expect(body).toContain('Use another card');
  expect(body).not.toContain('method="post"');
  await call(app, 'POST', path);
  expect(await statusesOf(id)).toEqual(['paid', 'declined']);
});
