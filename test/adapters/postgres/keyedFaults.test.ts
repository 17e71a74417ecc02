import { randomUUID } from 'node:crypto';
import { call } from '../../support/client';
import { createMerchant, type Person } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

/** PostgreSQL ends the transaction of a request with an Idempotency-Key. It has no effect, and the key works again. */

let app: TestApp;
let merchant: Person;
/** The lock that the trigger below waits for. */
const gate = 4711;

beforeAll(async () => {
  // Sequelize logs each COMMIT that fails.
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  app = await startApp({ DATABASE_STATEMENT_SECONDS: '2' });
  merchant = await createMerchant(app);
  // A deferred constraint trigger runs within COMMIT.
  await app.pool.query(`
    CREATE FUNCTION wait_at_gate() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_advisory_xact_lock(${gate}); RETURN NULL; END $$;
    CREATE FUNCTION end_session() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END $$;
    CREATE CONSTRAINT TRIGGER wait_at_gate AFTER INSERT ON items DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION wait_at_gate();
    CREATE CONSTRAINT TRIGGER end_in_commit AFTER INSERT ON items DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION end_session();
    CREATE FUNCTION lose_deadlock() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'deadlock detected' USING ERRCODE = '40P01'; END $$;
    CREATE TRIGGER deadlock_in_insert BEFORE INSERT ON items FOR EACH ROW EXECUTE FUNCTION lose_deadlock();
    CREATE TRIGGER end_in_insert BEFORE INSERT ON items FOR EACH ROW EXECUTE FUNCTION end_session();
    ALTER TABLE items DISABLE TRIGGER end_in_commit, DISABLE TRIGGER end_in_insert, DISABLE TRIGGER deadlock_in_insert`);
});

afterAll(() => app.stop());

/** What a holder does before the request, and what lets a repetition succeed. */
const faults = {
  'an INSERT that takes too long (57014)': ['BEGIN; LOCK TABLE items IN ACCESS EXCLUSIVE MODE', 'ROLLBACK'],
  'a session that is ended in an INSERT (57P01)': endingAt('end_in_insert'),
  'a COMMIT that waits too long (55P03)': [`BEGIN; SELECT pg_advisory_xact_lock(${gate})`, 'ROLLBACK'],
  'a transaction that PostgreSQL ends because of a deadlock (40P01)': endingAt('deadlock_in_insert'),
  'a session that is ended in COMMIT (57P01)': endingAt('end_in_commit'),
} as const;

function endingAt(trigger: string): [string, string] {
  return [`ALTER TABLE items ENABLE TRIGGER ${trigger}`, `ALTER TABLE items DISABLE TRIGGER ${trigger}`];
}

describe('503 service_unavailable, then 201 for the same key, once', () => {
  test.each(Object.entries(faults))('%s', async (_, [begin, end]) => {
    const key = { 'Idempotency-Key': randomUUID() };
    const fields = { title: randomUUID(), item_type: 'html_asset', content: '<p>Film.</p>' };
    const send = () => call<{ id: number }>(app, 'POST', '/v2/items', fields, { ...merchant, headers: key });
    const holder = await app.pool.connect();
    try {
      await holder.query(begin);
      const { status, headers } = await send();
      expect([status, headers.get('retry-after')]).toEqual([503, '2']);
    } finally {
      await holder.query(end);
      holder.release();
    }
    const done = await send();
    expect(done.status).toBe(201);
    const again = await send();
    expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([done.body, 'true']);
    const { rows } = await app.pool.query('SELECT id FROM items WHERE title = $1', [fields.title]);
    expect(rows).toEqual([{ id: done.body.id }]);
  });
});
