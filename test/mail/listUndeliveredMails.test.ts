import { call } from '../support/client';
import { createMerchant, type Person } from '../support/factories';
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

async function giveUp({ id, email }: Person, error: string): Promise<void> {
  await app.pool.query(
    `INSERT INTO mails (merchant_id, account_id, recipient, template, language, useful_until, parked_at, last_error)
     VALUES ($1, $1, $2, 'receipt', 'en', now(), now(), $3)`,
    [id, email, error],
  );
}

test('200: why each mail was given up, newest first, without those that a newer mail replaced', async () => {
  const merchant = await createMerchant(app);
  await giveUp(merchant, 'EMESSAGE 550');
  await giveUp(merchant, 'too late');
  await giveUp(merchant, 'replaced by a newer mail');
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
  await giveUp(other, 'EMESSAGE 550');
  expect(await list(merchant)).toMatchObject({ total: 0, collection: [] });
});
