import { listen } from '../support/client';
import { createConsumer, createMerchant, type Person } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';
import { until } from '../support/until';

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const bytesEach = 200_000;

/** Events far larger than any real one, so that few of them fill the buffers between two processes. */
async function publishLarge(consumer: Person, merchant: Person, count: number): Promise<void> {
  await app.pool.query(
    `WITH taken AS (
       UPDATE channels SET last_sequence = last_sequence + $3 WHERE merchant_id = $1 RETURNING last_sequence - $3 AS before
     )
     INSERT INTO events (merchant_id, sequence, account_id, type, resource, dedupe_key)
     SELECT $1, before + n, $2, 'access.revoked', jsonb_build_object('item_id', n, 'filler', repeat('x', $4)),
       gen_random_uuid()::text
     FROM taken, generate_series(1, $3) AS n`,
    [merchant.id, consumer.id, count, bytesEach],
  );
  await app.pool.query(`SELECT pg_notify('events', $1)`, [String(merchant.id)]);
}

test('4408: a listener that does not read is sent away, others are not held up, and it can replay', async () => {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const count = 150;
  const slow = await listen(app, consumer);
  const quick = await listen(app, merchant);
  slow.socket.pause();
  for (let sent = 1; sent <= count; sent += 1) {
    await publishLarge(consumer, merchant, 1);
    await until(() => quick.heard.length === sent);
  }
  slow.socket.resume();
  expect(await slow.closed).toBe(4408);
  const heard = slow.heard.map(({ id }) => id);
  expect(heard.length).toBeLessThan(count);
  expect(heard).toEqual(quick.heard.slice(0, heard.length).map(({ id }) => id));

  const again = await listen(app, { ...consumer, lastEventId: heard.at(-1) ?? 0 });
  await until(() => again.heard.length === count - heard.length);
  expect([...heard, ...again.heard.map(({ id }) => id)]).toEqual(quick.heard.map(({ id }) => id));
  await Promise.all([quick.close(), again.close()]);
});
