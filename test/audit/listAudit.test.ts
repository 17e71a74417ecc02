import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { call } from '../support/client';
import { createConsumer, createItem, createMerchant, type Person } from '../support/factories';
import { auditOf, type AuditRow, createFollower } from '../support/followers';
import { writeOldEntry } from '../support/auditLog';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;
let headsFile: string;

beforeAll(async () => {
  headsFile = join(mkdtempSync(join(tmpdir(), 'paywall-heads-')), 'heads.jsonl');
  app = await startApp({ AUDIT_HEADS_FILE: headsFile });
});

afterAll(() => app.stop());

async function setFlags(token: string, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1)
    await call(app, 'PUT', `/v2/features/flag-${index}`, { enabled: true }, { token });
}

test('200: the merchant reads its own entries, newest first, and nobody else’s', async () => {
  const merchant = await createMerchant(app);
  const other = await createMerchant(app);
  await setFlags(merchant.token, 3);
  await setFlags(other.token, 1);
  const { status, body } = await call<{ total: number; collection: AuditRow[] }>(
    app,
    'GET',
    '/audit?page=1&size=2',
    undefined,
    merchant,
  );
  expect(status).toBe(200);
  expect(body.total).toBe(3);
  expect(body.collection.map(({ id, object_id }) => [id, object_id])).toEqual([
    [3, 'flag-2'],
    [2, 'flag-1'],
  ]);
  expect(body.collection[0]).toMatchObject({
    actor_account_id: merchant.id,
    acted_by: null,
    action: 'feature.enable',
    object_type: 'feature',
    address: '127.0.0.0/24',
  });
  expect(body.collection[0]?.previous_hash).toBe(body.collection[1]?.hash);
  expect(await auditOf(app, other)).toHaveLength(1);
});

test('200: entries of one action or one actor', async () => {
  const merchant = await createMerchant(app);
  await setFlags(merchant.token, 2);
  await call(app, 'PUT', '/v2/features/flag-0', { enabled: false }, merchant);
  const actions = async (query: string) =>
    (await call<{ collection: AuditRow[] }>(app, 'GET', `/audit?${query}`, undefined, merchant)).body.collection.map(
      ({ action }) => action,
    );
  expect(await actions('action=feature.disable')).toEqual(['feature.disable']);
  expect(await actions(`actor_account_id=${merchant.id}`)).toHaveLength(3);
  expect(await actions(`actor_account_id=${merchant.id + 1_000_000}`)).toEqual([]);
});

test('200: entries of one object; the id alone counts for objects of all types', async () => {
  const merchant = await createMerchant(app);
  await setFlags(merchant.token, 2);
  const item = await createItem(app, merchant);
  const found = async (query: string) => {
    const { body } = await call<{ total: number; collection: AuditRow[] }>(
      app,
      'GET',
      `/audit?${query}`,
      undefined,
      merchant,
    );
    return [body.total, ...body.collection.map(({ action, object_id }) => `${action} ${object_id}`)];
  };
  expect(await found('object_type=feature&object_id=flag-1')).toEqual([1, 'feature.enable flag-1']);
  expect(await found(`object_type=item&object_id=${item.id}`)).toEqual([1, `item.create ${item.id}`]);
  expect(await found(`object_type=feature&object_id=${item.id}`)).toEqual([0]);
  expect(await found('object_id=flag-0')).toEqual([1, 'feature.enable flag-0']);
  expect((await found('object_type=feature'))[0]).toBe(2);
});

test('403 forbidden: a consumer, and a follower without accounts:read', async () => {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const follower = await createFollower(app, merchant, ['items:read']);
  for (const { token } of [consumer, follower])
    expect(await call(app, 'GET', '/audit', undefined, { token })).toMatchObject({
      status: 403,
      body: { error: 'forbidden' },
    });
});

test('401 invalid_auth_token: without a token', async () => {
  expect((await call(app, 'GET', '/audit')).status).toBe(401);
});

test('422 invalid_input: a page that is no number', async () => {
  const merchant = await createMerchant(app);
  expect((await call(app, 'GET', '/audit?page=x', undefined, merchant)).status).toBe(422);
});

describe('the log', () => {
  test('holds its chain when entries are written at the same time', async () => {
    const merchant = await createMerchant(app);
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        call(app, 'PUT', `/v2/features/flag-${index}`, { enabled: true }, merchant),
      ),
    );
    const { findBrokenLink } = await import('../../src/audit/audit.js');
    expect(await findBrokenLink(merchant.id)).toBeUndefined();
    expect((await auditOf(app, merchant)).map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, i) => 20 - i));
  });

  test.each([
    ['UPDATE audit_log SET object_id = $2 WHERE merchant_id = $1', ['x']],
    ['DELETE FROM audit_log WHERE merchant_id = $1', []],
  ])('only grows: %s', async (text, values) => {
    const merchant = await createMerchant(app);
    await setFlags(merchant.token, 1);
    await expect(app.pool.query(text, [merchant.id, ...values])).rejects.toThrow('the audit log only grows');
    await expect(app.pool.query('TRUNCATE audit_log')).rejects.toThrow('the audit log only grows');
    expect(await auditOf(app, merchant)).toHaveLength(1);
  });

  test.each([
    ['an entry was changed', `UPDATE audit_log SET object_id = 'x' WHERE merchant_id = $1 AND sequence = 2`, 2],
    ['an entry is missing', 'DELETE FROM audit_log WHERE merchant_id = $1 AND sequence = 2', 2],
    ['the newest are missing', 'DELETE FROM audit_log WHERE merchant_id = $1 AND sequence = 3', 3],
  ])('tells that %s, once somebody got around that', async (_what, text, place) => {
    const merchant = await createMerchant(app);
    await setFlags(merchant.token, 3);
    const client = await app.pool.connect();
    await client.query('ALTER TABLE audit_log DISABLE TRIGGER USER');
    await client.query(text, [merchant.id]);
    await client.query('ALTER TABLE audit_log ENABLE TRIGGER USER');
    client.release();
    const { listBrokenLogs } = await import('../../src/audit/audit.js');
    const { checked, broken } = await listBrokenLogs();
    expect(checked).toBeGreaterThan(1);
    expect(broken).toContainEqual({ merchantId: merchant.id, sequence: place });
  });

  test('is found out when somebody with the database writes entries that fit: the hashes need the key', async () => {
    const merchant = await createMerchant(app);
    await setFlags(merchant.token, 2);
    const { contentOfEntry, listBrokenLogs } = await import('../../src/audit/audit.js');
    const client = await app.pool.connect();
    await client.query('ALTER TABLE audit_log DISABLE TRIGGER USER');
    const last = 'WHERE merchant_id = $1 AND sequence = 2';
    await client.query(`UPDATE audit_log SET object_id = 'x' ${last}`, [merchant.id]);
    // The forger knows everything but the key: the order of the columns, and the form of the hashed text.
    const text = `encode(previous_hash, 'hex') || E'\\n' || ${contentOfEntry}`;
    await client.query(`UPDATE audit_log SET hash = sha256(convert_to(${text}, 'UTF8')) ${last}`, [merchant.id]);
    await client.query(
      `UPDATE audit_chains c SET last_hash = l.hash FROM audit_log l
       WHERE l.merchant_id = c.merchant_id AND l.sequence = c.last_sequence AND c.merchant_id = $1`,
      [merchant.id],
    );
    await client.query('ALTER TABLE audit_log ENABLE TRIGGER USER');
    client.release();
    expect((await listBrokenLogs()).broken).toContainEqual({ merchantId: merchant.id, sequence: 2 });
  });

  test('that was shortened, with its chain, differs from its published head', async () => {
    const merchant = await createMerchant(app);
    await setFlags(merchant.token, 3);
    const { publishHeads, readHeads } = await import('../../src/audit/heads.js');
    const { listBrokenLogs } = await import('../../src/audit/audit.js');
    await publishHeads();
    const published = readFileSync(headsFile, 'utf8');
    const heads = readHeads(published);
    // A collector of logs writes a prefix in front of a line, and a crash can cut one.
    expect(readHeads(`api-1 | ${published}{"heads":[{"merchant_id":`)).toEqual(heads);
    expect(heads).toContainEqual(expect.objectContaining({ merchant_id: merchant.id, sequence: 3 }));
    expect((await listBrokenLogs(heads)).broken.filter(({ merchantId }) => merchantId === merchant.id)).toEqual([]);
    const client = await app.pool.connect();
    await client.query('ALTER TABLE audit_log DISABLE TRIGGER USER');
    await client.query('DELETE FROM audit_log WHERE merchant_id = $1 AND sequence = 3', [merchant.id]);
    await client.query(
      `UPDATE audit_chains c SET last_sequence = 2, last_hash = l.hash FROM audit_log l
       WHERE l.merchant_id = c.merchant_id AND l.sequence = 2 AND c.merchant_id = $1`,
      [merchant.id],
    );
    await client.query('ALTER TABLE audit_log ENABLE TRIGGER USER');
    client.release();
    const ofMerchant = async (known: typeof heads) =>
      (await listBrokenLogs(known)).broken.filter(({ merchantId }) => merchantId === merchant.id);
    expect(await ofMerchant([])).toEqual([]);
    expect(await ofMerchant(heads)).toEqual([{ merchantId: merchant.id, sequence: 3 }]);
  });

  test('refuses an entry that does not continue it', async () => {
    const merchant = await createMerchant(app);
    await setFlags(merchant.token, 1);
    const copy = `INSERT INTO audit_log SELECT merchant_id, sequence + $2, actor_account_id, acted_by, action, object_type,
      object_id, request_id, address, created_at, previous_hash, hash FROM audit_log WHERE merchant_id = $1`;
    for (const step of [0, 1, 2])
      await expect(app.pool.query(copy, [merchant.id, step])).rejects.toThrow(
        'the entry does not continue the audit log',
      );
  });

  describe('forgets after 13 months', () => {
    /** Entries with these ages, oldest first. */
    async function createLog(...ages: string[]): Promise<Person> {
      const merchant = await createMerchant(app);
      for (const age of ages) await writeOldEntry(app.pool, merchant.id, age);
      return merchant;
    }

    const placesOf = async (merchant: Person) => (await auditOf(app, merchant)).map(({ id }) => id).reverse();

    async function forget(): Promise<void> {
      const { deleteOutdated } = await import('../../src/privacy/retention.js');
      await deleteOutdated();
    }

    async function isWhole(merchant: Person): Promise<boolean> {
      const { findBrokenLink } = await import('../../src/audit/audit.js');
      return (await findBrokenLink(merchant.id)) === undefined;
    }

    test('what is older, and the rest still proves itself', async () => {
      const merchant = await createLog('15 months', '14 months', '12 months', '1 day');
      await forget();
      expect(await placesOf(merchant)).toEqual([3, 4]);
      expect(await isWhole(merchant)).toBe(true);
      await forget();
      await setFlags(merchant.token, 1);
      expect(await placesOf(merchant)).toEqual([3, 4, 5]);
      expect(await isWhole(merchant)).toBe(true);
    });

    test('all of a log in which nothing happened since; the next entry goes on from there', async () => {
      const merchant = await createLog('15 months', '14 months');
      await forget();
      expect(await placesOf(merchant)).toEqual([]);
      expect(await isWhole(merchant)).toBe(true);
      await setFlags(merchant.token, 1);
      expect(await placesOf(merchant)).toEqual([3]);
      expect(await isWhole(merchant)).toBe(true);
    });

    test('nothing behind an entry that is to be kept', async () => {
      const merchant = await createLog('15 months', '12 months', '14 months');
      await forget();
      expect(await placesOf(merchant)).toEqual([2, 3]);
      expect(await isWhole(merchant)).toBe(true);
    });

    test('by two replicas at once', async () => {
      const merchant = await createLog('15 months', '14 months', '1 day');
      await Promise.all([forget(), forget()]);
      expect(await placesOf(merchant)).toEqual([3]);
      expect(await isWhole(merchant)).toBe(true);
    });

    test.each([
      ['a younger entry', 'sequence = 3'],
      ['an old one from the middle', 'sequence = 2'],
      ['old and younger ones', 'sequence <= 3'],
    ])('and lets nobody remove %s', async (_what, which) => {
      const merchant = await createLog('15 months', '14 months', '12 months');
      await expect(
        app.pool.query(`DELETE FROM audit_log WHERE merchant_id = $1 AND ${which}`, [merchant.id]),
      ).rejects.toThrow('the audit log only grows');
      expect(await placesOf(merchant)).toEqual([1, 2, 3]);
    });

    test('and is found out when somebody got around that', async () => {
      const merchant = await createLog('15 months', '14 months', '12 months', '1 day');
      await forget();
      const client = await app.pool.connect();
      await client.query('ALTER TABLE audit_log DISABLE TRIGGER USER');
      await client.query('DELETE FROM audit_log WHERE merchant_id = $1 AND sequence = 3', [merchant.id]);
      await client.query('ALTER TABLE audit_log ENABLE TRIGGER USER');
      client.release();
      expect(await isWhole(merchant)).toBe(false);
    });
  });

  const object = ['account', 1] as const;

  test('of a change that was rolled back has no entry, and no gap', async () => {
    const merchant = await createMerchant(app);
    const { audit } = await import('../../src/audit/audit.js');
    const { transaction } = await import('../../src/adapters/postgres/connection.js');
    const actor = { merchantId: merchant.id, accountId: merchant.id };
    const failing = transaction(async (inTransaction) => {
      await audit(inTransaction, actor, { action: 'test.fail', object });
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    await transaction((inTransaction) => audit(inTransaction, actor, { action: 'test.pass', object }));
    expect((await auditOf(app, merchant)).map(({ id, action }) => [id, action])).toEqual([[1, 'test.pass']]);
  });

  test.each([
    ['::ffff:203.0.113.7', '203.0.113.0/24'],
    ['2001:db8:1:2::7', '2001:db8:1::/48'],
    ['2001:db8::7', '2001:db8:0::/48'],
    ['nonsense', null],
  ])('keeps the network of %s', async (address, network) => {
    const merchant = await createMerchant(app);
    const { audit } = await import('../../src/audit/audit.js');
    const { transaction } = await import('../../src/adapters/postgres/connection.js');
    const actor = { merchantId: merchant.id, accountId: merchant.id };
    await transaction((inTransaction) =>
      audit(inTransaction, { ...actor, clientAddress: address }, { action: 'test.pass', object }),
    );
    expect((await auditOf(app, merchant))[0]?.address).toBe(network);
  });

  test('cannot name an actor of another tenant', async () => {
    const merchant = await createMerchant(app);
    const other = await createMerchant(app);
    const { audit } = await import('../../src/audit/audit.js');
    const { transaction } = await import('../../src/adapters/postgres/connection.js');
    const actor = { merchantId: merchant.id, accountId: other.id };
    const writing = transaction((inTransaction) => audit(inTransaction, actor, { action: 'test.pass', object }));
    await expect(writing).rejects.toThrow(/foreign key/);
  });
});
