import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { call } from '../../support/client';
import { createConsumer, createItem, createShop, type Person } from '../../support/factories';
import { type ErrorBody } from '../../support/raw';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const ask = (itemId: number, person: Pick<Person, 'token'>) =>
  call<ErrorBody>(app, 'GET', `/items/used-trial-period/${itemId}`, undefined, person);

interface Taken {
  merchant: Person;
  consumer: Person;
  item: { id: number };
  card?: string;
  subject?: string;
}

const trials = () => import('../../../src/entitlements/trials.js');

async function take({ merchant, consumer, item, card, subject = randomUUID() }: Taken): Promise<boolean> {
  const { transaction } = await import('../../../src/adapters/postgres/connection.js');
  const { recordTrial } = await trials();
  const identity = { merchantId: merchant.id, accountId: consumer.id, itemId: item.id, cardFingerprint: card };
  return transaction((inTransaction) => recordTrial(inTransaction, { ...identity, subject }));
}

async function rename(person: Person, email: string): Promise<Person> {
  await app.pool.query('UPDATE accounts SET email = $2, email_normalized = $2 WHERE id = $1', [person.id, email]);
  return person;
}

test('404 trial_not_used: before, and 200: after, of this item only', async () => {
  const shop = await createShop(app);
  const { consumer, item, merchant } = shop;
  const other = await createItem(app, merchant);
  const before = await ask(item.id, consumer);
  expect([before.status, before.body.error]).toEqual([404, 'trial_not_used']);
  expect(await take(shop)).toBe(true);
  expect(await ask(item.id, consumer)).toMatchObject({ status: 200, body: true });
  expect((await ask(other.id, consumer)).status).toBe(404);
});

test('200: the same mailbox under another spelling, and the same card, of another account', async () => {
  const shop = await createShop(app);
  const name = `ana.${randomUUID().replaceAll('-', '')}`;
  await rename(shop.consumer, `${name}@gmail.com`);
  const card = randomUUID();
  expect(await take({ ...shop, card })).toBe(true);
  const again = await rename(await createConsumer(app, shop.merchant), `${name.replace('.', '')}+tv@googlemail.com`);
  expect((await ask(shop.item.id, again)).status).toBe(200);
  expect(await take({ ...shop, consumer: again })).toBe(false);
  const third = await createConsumer(app, shop.merchant);
  expect((await ask(shop.item.id, third)).status).toBe(404);
  expect(await take({ ...shop, consumer: third, card })).toBe(false);
  // The refused requests left no rows.
  expect((await ask(shop.item.id, third)).status).toBe(404);
  await app.pool.query(
    `INSERT INTO cards (merchant_id, account_id, provider, token, last_four, brand, holder_name, expiry_month,
       expiry_year, fingerprint)
     VALUES ($1, $2, 'sandbox', gen_random_uuid(), '4242', 'visa', '', 1, 2040, $3)`,
    [shop.merchant.id, third.id, card],
  );
  expect((await ask(shop.item.id, third)).status).toBe(200);
});

test('200: one of fifty at once takes the trial; a step that runs twice takes it once', async () => {
  const shop = await createShop(app);
  const card = randomUUID();
  const subjects = Array.from({ length: 50 }, () => randomUUID());
  const taken = await Promise.all(subjects.map((subject) => take({ ...shop, card, subject })));
  expect(taken.filter(Boolean)).toHaveLength(1);
  const winner = subjects[taken.indexOf(true)] ?? '';
  expect(await take({ ...shop, card, subject: winner })).toBe(true);
});

test('404 trial_not_used: after a trial that never began was given back', async () => {
  const shop = await createShop(app);
  const subject = randomUUID();
  await take({ ...shop, subject });
  const { transaction } = await import('../../../src/adapters/postgres/connection.js');
  const { releaseTrial } = await trials();
  for (let times = 0; times < 2; times += 1)
    await transaction((inTransaction) => releaseTrial(inTransaction, shop.merchant.id, subject));
  expect((await ask(shop.item.id, shop.consumer)).status).toBe(404);
  expect(await take(shop)).toBe(true);
});

test('404 item_not_found: another merchant’s item, whatever was used there', async () => {
  const [shop, other] = [await createShop(app), await createShop(app)];
  await take(other);
  const { status, body } = await ask(other.item.id, shop.consumer);
  expect([status, body.error]).toEqual([404, 'item_not_found']);
});

test('200: what is kept tells no mail address', async () => {
  const shop = await createShop(app);
  await take(shop);
  const { rows } = await app.pool.query<{ kept: string }>('SELECT u::text AS kept FROM used_trials u');
  expect(rows.map(({ kept }) => kept).join()).not.toContain(shop.consumer.email);
});

describe('a mailbox', () => {
  test('is the same with any tag, in any case, and at Gmail with any dots', async () => {
    const { mailboxOf } = await trials();
    const word = fc.stringMatching(/^[a-z0-9]{1,12}$/);
    fc.assert(
      fc.property(word, word, word, fc.constantFrom('gmail.com', 'googlemail.com'), (head, tail, tag, host) => {
        expect(mailboxOf(`${head}.${tail}+${tag}@${host}`)).toBe(`${head}${tail}@gmail.com`);
        expect(mailboxOf(`${head}.${tail}+${tag}@Example.org`.toUpperCase())).toBe(`${head}.${tail}@example.org`);
      }),
    );
  });

  test('is another for another name or host', async () => {
    const { mailboxOf } = await trials();
    const all = ['a@example.org', 'b@example.org', 'a@example.com', 'a.b@example.org', '+a@example.org'];
    expect(new Set(all.map(mailboxOf)).size).toBe(all.length);
  });
});
