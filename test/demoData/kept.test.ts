import { check, createPackage, giveByHand, inSeconds } from '../support/access';
import { call } from '../support/client';
import { askForDemoData, demoPlace, isFilled, removeDemo } from '../support/demoData';
import {
  createConsumer,
  createFee,
  createItem,
  createMerchant,
  type Person,
  purchase,
  reaches,
  type Submitted,
} from '../support/factories';
import { signIn } from '../support/followers';
import { journalFaults, recognise } from '../support/journal';
import { startApp, type TestApp } from '../support/startApp';
import { countsOf, figuresOf } from '../support/tableCounts';

/** A removal of demo data leaves what people have made, with the demo rows that it needs. */

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});
afterAll(() => app.stop());
afterEach(async () => expect(await journalFaults(app.pool)).toEqual([]));

interface List {
  collection: { id: number; title: string; email: string; full_name: string; code: string }[];
}
const list = async (path: string, person: Person) =>
  (await call<List>(app, 'GET', path, undefined, person)).body.collection;

async function fill() {
  const merchant = await createMerchant(app);
  const walker = await askForDemoData(app, merchant.email);
  await isFilled(app, merchant.id);
  const items = await list('/v2/items?limit=50', merchant);
  const itemId = (title: string) => items.find((item) => item.title === title)?.id ?? 0;
  const fee = async (description: string) => {
    const { rows } = await app.pool.query<{ id: number }>(
      'SELECT id FROM access_fees WHERE merchant_id = $1 AND description = $2',
      [merchant.id, description],
    );
    return rows[0]?.id ?? 0;
  };
  const customer = async (name: string) => {
    const { rows } = await app.pool.query<Person>(
      'SELECT id, uuid, email FROM accounts WHERE merchant_id = $1 AND full_name = $2',
      [merchant.id, name],
    );
    return rows[0]?.id ?? 0;
  };
  return { merchant, walker, itemId, fee, customer };
}

/** Sets a password for a demo customer, which has a random one, and signs in with it. */
async function signInAs(merchant: Person, name: string): Promise<Person> {
  const known = await createConsumer(app, await createMerchant(app));
  const { rows } = await app.pool.query<Person>(
    `UPDATE accounts SET password_hash = (SELECT password_hash FROM accounts WHERE id = $3)
     WHERE merchant_id = $1 AND full_name = $2 RETURNING email`,
    [merchant.id, name, known.id],
  );
  return signIn(app, rows[0]?.email ?? '', merchant.uuid);
}

async function remove({ walker }: Awaited<ReturnType<typeof fill>>): Promise<string> {
  await walker.open(demoPlace);
  expect((await removeDemo(walker)).status).toBe(303);
  return (await walker.open(demoPlace)).text;
}

test('a customer who bought a demo plan with the demo voucher keeps both, and all else goes', async () => {
  const filled = await fill();
  const { merchant, fee, itemId } = filled;
  const person = await createConsumer(app, merchant);
  const bought = { ...purchase({ fee: { id: await fee('Monthly') } }), voucher_code: 'WELCOME20' };
  const { body } = await call<Submitted>(app, 'POST', '/subscriptions', bought, person);
  await reaches(app, person, body.subscription_id, 'active');
  await recognise(app.pool, merchant.id, '2100-01-01');
  const text = await remove(filled);
  expect(text).toContain('These stay, because');
  expect([text.includes('The Daily, digital'), text.includes('WELCOME20'), text.includes('Archive')]).toEqual([
    true,
    true,
    false,
  ]);
  const counts = await countsOf(app.pool);
  expect(counts).toMatchObject({
    items: 1,
    access_fees: 1,
    vouchers: 1,
    voucher_uses: 1,
    subscriptions: 1,
    charges: 1,
  });
  expect(await list('/accounts/registered-users', merchant)).toMatchObject([{ email: person.email }]);
  expect((await check(app, itemId('The Daily, digital'), person)).status).toBe(200);
  const { rows } = await app.pool.query('SELECT usage_counter AS uses FROM vouchers');
  expect(rows).toEqual([{ uses: 1 }]);
  const figures = await figuresOf(app.pool, merchant.id, 'total');
  expect(figures).toContainEqual(expect.objectContaining({ figure: 'revenue', count: 1, amount: 799 }));
  expect(figures).toContainEqual(expect.objectContaining({ figure: 'paying_customers', count: 1 }));
  await reaches(app, person, body.subscription_id, 'active');
});

test('demo customers stay with their purchases if a person bought as them, or alone with what a person gave', async () => {
  const filled = await fill();
  const { merchant, customer, itemId } = filled;
  const own = await createItem(app, merchant);
  const plan = await createFee(app, merchant, own.id);
  const given = { merchant, item: own, consumer: { id: await customer('Ada Lindqvist') } as Person };
  expect((await giveByHand(app, given, { expires_at: inSeconds(500 * 86_400) })).status).toBe(200);
  const buyer = await signInAs(merchant, 'Rosa Marino');
  const { body } = await call<Submitted>(app, 'POST', '/subscriptions', purchase({ fee: plan }), buyer);
  await reaches(app, buyer, body.subscription_id, 'active');
  await createPackage(app, merchant, [itemId('Cup final, live')]);
  const text = await remove(filled);
  expect(['Ada Lindqvist', 'Rosa Marino', 'Cup final, live', 'WELCOME20'].map((name) => text.includes(name))).toEqual([
    true,
    true,
    true,
    false,
  ]);
  const customers = await list('/accounts/registered-users', merchant);
  expect(customers.map(({ full_name: name }) => name).sort()).toEqual(['Ada Lindqvist', 'Rosa Marino']);
  const { rows } = await app.pool.query(
    `SELECT full_name AS name, (SELECT count(*)::int FROM subscriptions s WHERE s.account_id = a.id) AS subscriptions,
       (SELECT count(*)::int FROM cards c WHERE c.account_id = a.id) AS cards,
       (SELECT array_agg(source) FROM accesses x WHERE x.account_id = a.id AND source = 'grant') AS given
     FROM accounts a WHERE merchant_id = $1 AND role = 'consumer' ORDER BY 1`,
    [merchant.id],
  );
  expect(rows).toEqual([
    { name: 'Ada Lindqvist', subscriptions: 0, cards: 0, given: ['grant'] },
    { name: 'Rosa Marino', subscriptions: 2, cards: 2, given: null },
  ]);
});
