import { buyGift, redeemGift } from '../../support/boughtGifts';
import { call } from '../../support/client';
import { password, type Person } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';
import { until } from '../../support/until';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

type Exported = Record<string, Record<string, unknown>[]>;

/** Requests an export and reads the file of its mail. */
async function exportOf(person: Person): Promise<Exported> {
  const newest = async () => {
    const text = `SELECT max(id)::int AS id FROM mails WHERE account_id = $1 AND template = 'account_export'`;
    return (await app.pool.query<{ id: number | null }>(text, [person.id])).rows[0]?.id ?? 0;
  };
  const before = await newest();
  expect((await call(app, 'POST', '/accounts/export', { password }, person)).status).toBe(202);
  await until(async () => (await newest()) > before);
  const owner = await app.pool.query<{ merchant_id: number }>('SELECT merchant_id FROM accounts WHERE id = $1', [
    person.id,
  ]);
  const merchant = merchants.get(owner.rows[0]?.merchant_id ?? 0);
  const { body } = await call<Exported>(app, 'GET', `/test-mailbox/${await newest()}/attachment`, undefined, merchant);
  return body;
}

const merchants = new Map<number, Person>();

async function buy() {
  const gift = await buyGift(app);
  merchants.set(gift.shop.merchant.id, gift.shop.merchant);
  return gift;
}

test('202: the export has received gifts, published events and audit entries', async () => {
  const gift = await buy();
  const { shop, receiver, stranger } = gift;
  await app.pool.query('UPDATE accounts SET activated_at = now() WHERE id = $1', [receiver.id]);
  const change = { id: receiver.id, full_name: 'Renamed by the merchant' };
  expect((await call(app, 'PUT', '/accounts', change, shop.merchant)).status).toBe(200);
  expect((await redeemGift(app, gift, receiver)).status).toBe(200);
  await until(async () => {
    const text = `SELECT FROM events WHERE account_id = $1 AND type = 'access.granted'`;
    return (await app.pool.query(text, [receiver.id])).rows.length > 0;
  });
  const exported = await exportOf(receiver);
  expect(exported['gifts_received']).toMatchObject([{ receiver_email: receiver.email, item_id: shop.item.id }]);
  expect(exported['events']?.map(({ type }) => type)).toContain('access.granted');
  expect(exported['audit']).toMatchObject([{ action: 'account.update', object_id: String(receiver.id) }]);
  const text = JSON.stringify(exported);
  for (const foreign of [gift.code, shop.consumer.email, shop.merchant.email]) expect(text).not.toContain(foreign);
  expect((await exportOf(stranger))['gifts_received']).toEqual([]);
});

test('202: the export has no gift to an unverified address, and none before its delivery date', async () => {
  const { receiver } = await buy();
  await app.pool.query('UPDATE accounts SET activated_at = NULL WHERE id = $1', [receiver.id]);
  expect((await exportOf(receiver))['gifts_received']).toEqual([]);
  await app.pool.query('UPDATE accounts SET activated_at = now() WHERE id = $1', [receiver.id]);
  const due = `UPDATE gift_vouchers SET deliver_on = now() + interval '1 day' WHERE receiver_email = $1`;
  await app.pool.query(due, [receiver.email]);
  expect((await exportOf(receiver))['gifts_received']).toEqual([]);
  await app.pool.query('UPDATE gift_vouchers SET deliver_on = NULL WHERE receiver_email = $1', [receiver.email]);
  expect((await exportOf(receiver))['gifts_received']).toHaveLength(1);
});
