import { chosenAddress, rowsOf } from '../../support/bulk';
import { createMerchant, createShop, subscribe } from '../../support/factories';
import { parkMail } from '../../support/mailbox';
import { enterConsole } from '../../support/pageWalker';
import { startApp, type TestApp } from '../../support/startApp';

/** Lists name things in words, and not with the codes of the API or of a program. */

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const mainOf = (text: string) => /<main[^]*<\/main>/.exec(text)?.[0] ?? '';

test('the features have names, and no codes', async () => {
  const walker = await enterConsole(app, (await createMerchant(app)).email);
  const main = mainOf((await walker.open('/console/settings/features')).text);
  expect(main).toContain('Audience analytics');
  expect(main).not.toMatch(/<code|>\s*[a-z]+(?:_[a-z]+)*\s*<\/(?:th|td)>/);
});

test.each([
  ['EMESSAGE 550', 'Reply of the mail server: 550'],
  ['ETIMEDOUT', undefined],
])('an email that was refused with %s has this line: %s', async (error, line) => {
  const merchant = await createMerchant(app);
  await parkMail(app, merchant, { error });
  const main = mainOf((await (await enterConsole(app, merchant.email)).open('/console/customers/emails')).text);
  expect(main).toContain('The mail server refused the email.');
  expect(/Reply of the mail server: \d+/.exec(main)?.[0]).toBe(line);
  expect(main).not.toContain(error);
});

test('the question about chosen subscriptions keeps each title, plan and address in its own direction', async () => {
  const shop = await createShop(app);
  const { body } = await subscribe(app, shop);
  const walker = await enterConsole(app, shop.merchant.email);
  const address = chosenAddress('subscriptions', { ...rowsOf([body.subscription_id]), action: 'cancel' });
  const main = mainOf((await walker.open(`${address}&lang=ar`)).text).replaceAll('<wbr />', '');
  for (const text of [shop.item.title, shop.fee.description, shop.consumer.email])
    expect(main).toContain(`<bdi>${text}</bdi>`);
});
