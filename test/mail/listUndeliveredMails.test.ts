import { call } from '../support/client';
import { createConsumer, createMerchant, type Person } from '../support/factories';
import { parkMail } from '../support/mailbox';
import { enterConsole } from '../support/pageWalker';
import { createRole, createStaff } from '../support/staff';
import { startApp, type TestApp } from '../support/startApp';

/** The mails that were given up. */

let app: TestApp;
beforeAll(async () => void (app = await startApp()));
afterAll(() => app.stop());

interface Undelivered {
  total: number;
  collection: { to: string; template: string; reason: string; answer: string; given_up_at: number }[];
}

const list = async (merchant: Person) =>
  (await call<Undelivered>(app, 'GET', '/mails/undelivered', undefined, merchant)).body;

test('200: why each mail was given up, newest first, without those that a newer mail replaced', async () => {
  const merchant = await createMerchant(app);
  await parkMail(app, merchant);
  await parkMail(app, merchant, { error: 'too late' });
  await parkMail(app, merchant, { error: 'replaced by a newer mail' });
  const { total, collection } = await list(merchant);
  expect(total).toBe(2);
  expect(collection.map(({ reason, answer }) => [reason, answer])).toEqual([
    ['too_late', ''],
    ['refused', 'EMESSAGE 550'],
  ]);
  expect(collection[0]).toMatchObject({ to: merchant.email, template: 'receipt' });
});

test('200: no mail that waits or was sent, and none of another merchant', async () => {
  const [merchant, other] = [await createMerchant(app), await createMerchant(app)];
  await parkMail(app, other);
  expect(await list(merchant)).toMatchObject({ total: 0, collection: [] });
});

test('200: a mail whose content was sealed with another key has no answer of the mail server', async () => {
  const merchant = await createMerchant(app);
  await parkMail(app, merchant, { error: 'sealed with another key' });
  expect((await list(merchant)).collection).toMatchObject([{ reason: 'unreadable', answer: '' }]);
});

test('200: without `settings:write` only mails to customers, and links only to customers', async () => {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const [support, admin] = [
    await createStaff(app, merchant, { role_id: await createRole(app, merchant, ['accounts:read']) }),
    await createStaff(app, merchant, { role: 'owner' }),
  ];
  for (const person of [consumer, support]) await parkMail(app, person);
  const recipientsFor = async (reader: Person) => (await list(reader)).collection.map(({ to }) => to);
  expect(await recipientsFor(support)).toEqual([consumer.email]);
  expect(await recipientsFor(admin)).toEqual([support.email, consumer.email]);
  expect(await recipientsFor(merchant)).toEqual([support.email, consumer.email]);
  const { text } = await (await enterConsole(app, merchant.email)).open('/console/customers/emails');
  expect(text.replaceAll('<wbr />', '')).toContain(support.email);
  expect(text).toContain(`href="/console/customers/${consumer.id}"`);
  expect(text).not.toContain(`href="/console/customers/${support.id}"`);
});
