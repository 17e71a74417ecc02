import { readFile, writeFile } from 'node:fs/promises';
import { createFollower } from '../support/followers';
import { cards, createConsumer, createShop, reaches, type Shop, subscribe } from '../support/factories';
import {
  createTransferFolder,
  forgetStop,
  type Installation,
  prepareInstallation,
  runHere,
  type TransferFolder,
} from '../support/installations';
import { waitForLocks } from '../support/locks';
import { runScript, shareScriptProcess } from '../support/scripts';
import { signInWith } from '../support/secondFactors';
import { startApp, type TestApp } from '../support/startApp';
import { until } from '../support/until';

/** What stops a move, and that nothing is written then. */
let app: TestApp;
let other: Omit<Installation, 'address'>;
let folder: TransferFolder;
let shop: Shop;
let about: string[];

shareScriptProcess();

beforeAll(async () => {
  folder = await createTransferFolder();
  app = await startApp({ PASSWORD_PEPPER: '3:a-secret-of-this-installation' });
  await app.startWorker();
  other = await prepareInstallation();
  shop = await createShop(app);
  const { subscription_id: id } = (await subscribe(app, shop)).body;
  await reaches(app, shop.consumer, id, 'active');
  const another = { ...shop, consumer: await createConsumer(app, shop.merchant) };
  const { subscription_id: declined } = (await subscribe(app, another, cards.declined)).body;
  await reaches(app, another.consumer, declined, 'incomplete_expired');
  about = ['--merchant', String(shop.merchant.id)];
});
afterAll(async () => {
  await other.stop();
  await app.stop();
  await folder.remove();
});

const merchantsOf = async ({ pool }: Pick<TestApp, 'pool'>) =>
  (await pool.query<{ uuid: string }>(`SELECT uuid FROM accounts WHERE role = 'merchant' ORDER BY id`)).rows.map(
    ({ uuid }) => uuid,
  );

const exportTo = (name: string, key = folder.keyFile) =>
  runHere('export', ...about, '--out', folder.at(name), '--key-file', key);
const importFrom = (name: string, key = folder.keyFile) =>
  other.run('import', '--in', folder.at(name), '--key-file', key, '--same-account');
const refused = (sentence: string) => ({ code: 1, said: expect.stringContaining(sentence) as string });

/** Exports as soon as nothing is under way. */
async function exported(name: string): Promise<void> {
  await forgetStop(app);
  await until(async () => (await exportTo(name)).code === 0);
}

describe('before the export', () => {
  test.each([
    [['stop', '--merchant', '2000000000'], 'No merchant has the id or uuid 2000000000.'],
    [['stop'], 'Add --merchant.'],
    [['leave'], 'npm run merchant:stop'],
    [['stop', '--merchants', '1'], 'Unknown option'],
    [['reserve', '--from', '2000000001'], 'Name a number between 1 and 2000000000'],
    [['reserve', '--from', 'many'], 'Name a number between 1 and 2000000000'],
  ])('%j is refused with what to do', async (input, sentence) => {
    expect(await runHere(...input)).toEqual(refused(sentence));
  });

  test('a follower moves only with its master', async () => {
    const follower = await createFollower(app, shop.merchant, ['items:read']);
    expect(await runHere('stop', '--merchant', follower.uuid)).toEqual(refused('moves only with it'));
  });

  test('a merchant that was not stopped is not exported', async () => {
    expect(await exportTo('early')).toEqual(refused('npm run merchant:stop'));
    expect(await runHere('keep', ...about)).toEqual(refused('not stopped'));
    expect(await runHere('moved', ...about)).toEqual(refused('not exported'));
    expect(await runHere('discard', ...about)).toEqual(refused('lives here'));
  });

  test('a merchant that an operator has suspended is not stopped', async () => {
    const { merchant } = await createShop(app);
    const text = `INSERT INTO merchant_states (merchant_id, suspended_at, suspension_reason) VALUES ($1, now(), 'Mails to strangers.')`;
    await app.pool.query(text, [merchant.id]);
    expect(await runHere('stop', '--merchant', merchant.uuid)).toEqual(refused('Resume it first'));
  });
});

describe('a stopped merchant', () => {
  beforeAll(async () => {
    expect(await runHere('stop', ...about)).toMatchObject({ code: 0 });
  });

  test('is exported only after two minutes', async () => {
    expect(await exportTo('early')).toEqual(refused('Export then.'));
  });

  test.each([
    [
      'a charge in progress',
      `UPDATE charges SET status = 'open' WHERE merchant_id = $1 AND status = 'declined'`,
      `UPDATE charges SET status = 'declined' WHERE merchant_id = $1 AND status = 'open'`,
      '1 charges whose outcome is not known yet',
    ],
    [
      'an export of an account',
      `INSERT INTO account_operations (merchant_id, account_id, kind, next_due_at) VALUES ($1, $1, 'export', 'infinity')`,
      `DELETE FROM account_operations WHERE merchant_id = $1`,
      '1 exports and erasures of accounts',
    ],
    [
      'a message',
      `INSERT INTO outbox (workflow, workflow_id, message_id, input, memo, available_at)
       VALUES ('subscription', 'x', 'x', '{}', jsonb_build_object('merchantId', $1::int), 'infinity')`,
      `DELETE FROM outbox WHERE (memo->>'merchantId')::int = $1`,
      '1 messages to Temporal',
    ],
    [
      'a filling with demo data',
      `INSERT INTO demo_fills (merchant_id, requested_by, begins_at) VALUES ($1, $1, now())`,
      `DELETE FROM demo_fills WHERE merchant_id = $1`,
      '1 fillings with demo data',
    ],
  ])('waits for %s', async (_what, begin, end, sentence) => {
    await forgetStop(app);
    await app.pool.query(begin, [shop.merchant.id]);
    const outcome = await exportTo('busy');
    await app.pool.query(end, [shop.merchant.id]);
    expect(outcome).toEqual(refused(sentence));
  });

  test('can stay: it is open again, and its runs continue', async () => {
    await exported('kept');
    const text = `SELECT token FROM subscriptions WHERE merchant_id = $1 AND state = 'active'`;
    const { rows } = await app.pool.query<{ token: string }>(text, [shop.merchant.id]);
    const { workflowRuns } = await import('../../src/adapters/temporal.js');
    const { sweepAll } = await import('../support/sweeps.js');
    const run = `subscription-${rows[0]?.token ?? ''}`;
    expect(await workflowRuns(run)).toBe(false);
    await sweepAll();
    expect(await workflowRuns(run)).toBe(false);
    expect(await runHere('keep', ...about)).toMatchObject({ code: 0 });
    expect((await signInWith(app, shop.merchant, { client_id: 'platform' })).status).toBe(200);
    await until(async () => {
      await sweepAll();
      return workflowRuns(run);
    });
    expect(await runHere('stop', ...about)).toMatchObject({ code: 0 });
  });
});

describe('a file', () => {
  let content: Buffer;

  beforeAll(async () => {
    await exported('merchant');
    content = await readFile(folder.at('merchant'));
    await writeFile(folder.at('other-key'), Buffer.alloc(32, 6).toString('base64'));
    await writeFile(folder.at('short-key'), Buffer.alloc(31, 5).toString('base64'));
  });
  afterEach(async () => expect(await merchantsOf(other)).toEqual([]));

  test('is not overwritten', async () => {
    expect(await exportTo('merchant')).toEqual(refused('EEXIST'));
    expect((await readFile(folder.at('merchant'))).equals(content)).toBe(true);
  });

  test('opens with its key only', async () => {
    expect(await importFrom('merchant', folder.at('other-key'))).toEqual(refused('The key does not open the file'));
    expect(await importFrom('merchant', folder.at('short-key'))).toEqual(refused('32 bytes in base64'));
    expect(await importFrom('merchant', folder.at('no-key'))).toEqual(refused('ENOENT'));
    expect(await importFrom('no-file')).toEqual(refused('cannot be read'));
  });

  test.each([
    ['empty', 0, 'not made by npm run merchant:export'],
    ['without a part', 32, 'cut off'],
    ['in the middle', 0.5, 'cut off'],
    ['before the last byte', -1, 'cut off'],
  ])('is refused when it was cut off: %s', async (name, to, sentence) => {
    const end = to > 0 && to < 1 ? Math.floor(content.length * to) : to < 0 ? content.length + to : to;
    await writeFile(folder.at(`cut ${name}`), content.subarray(0, end));
    expect(await importFrom(`cut ${name}`)).toEqual(refused(sentence));
  });

  test.each([
    ['first', 0, 'not made by npm run merchant:export'],
    ['in the header', 60, 'The key does not open the file, or the file was changed.'],
    ['last', -1, 'was changed'],
  ])('is refused when a byte was changed: %s', async (name, at, sentence) => {
    const changed = Buffer.from(content);
    const place = at < 0 ? content.length + at : at;
    changed[place] = (changed[place] ?? 0) ^ 1;
    await writeFile(folder.at(`changed ${name}`), changed);
    expect(await importFrom(`changed ${name}`)).toEqual(refused(sentence));
  });

  test('is refused with parts in another order, without a part, or with more bytes', async () => {
    const parts = partsOf(content);
    const start = content.subarray(0, 32);
    const [header, first, second, ...rest] = parts;
    if (!header || !first || !second) throw new Error('the file is too small');
    await writeFile(folder.at('turned'), Buffer.concat([start, header, second, first, ...rest]));
    await writeFile(folder.at('lacking'), Buffer.concat([start, header, second, ...rest]));
    await writeFile(folder.at('longer'), Buffer.concat([content, Buffer.alloc(1)]));
    for (const name of ['turned', 'lacking', 'longer']) expect(await importFrom(name)).toEqual(refused('was changed'));
  });

  test('goes only to the same version', async () => {
    const text = 'UPDATE migrations SET checksum = reverse(checksum) WHERE name = $1';
    await other.pool.query(text, ['270-datev']);
    const outcome = await importFrom('merchant');
    await other.pool.query(text, ['270-datev']);
    expect(outcome).toEqual(refused('Migrations differ: 270-datev'));
  });

  test('needs the pepper of its passwords, and a role that may write without triggers', async () => {
    const input = ['import', '--in', folder.at('merchant'), '--key-file', folder.keyFile, '--same-account'];
    const importWith = (changes: Record<string, string | undefined>) =>
      runScript('merchants.js', input, { ...other.settings, ...changes });
    expect(await importWith({ PASSWORD_PEPPER: '' })).toEqual(refused('PASSWORD_PEPPER lacks version 3'));
    expect(await importWith({ PASSWORD_PEPPER: '3:another-secret-of-others' })).toEqual(
      refused('PASSWORD_PEPPER lacks version 3'),
    );
    expect(await importWith({ MIGRATION_DATABASE_URL: undefined })).toEqual(
      refused('GRANT SET ON PARAMETER session_replication_role TO'),
    );
  });

  test('does not come back to its installation', async () => {
    expect(
      await runHere('import', '--in', folder.at('merchant'), '--key-file', folder.keyFile, '--same-account'),
    ).toEqual(refused('made by this installation'));
  });

  test('is imported completely or not at all', async () => {
    const blocker = await other.pool.connect();
    await blocker.query('BEGIN; LOCK TABLE webhook_endpoints IN SHARE MODE');
    const importing = importFrom('merchant');
    const [pid] = await waitForLocks(other.pool);
    await other.pool.query('SELECT pg_terminate_backend($1)', [pid]);
    expect((await importing).code).toBe(1);
    await blocker.query('ROLLBACK');
    blocker.release();
  });

  test('is refused while its numbers belong to other rows', async () => {
    const { pool } = other;
    await pool.query(
      `INSERT INTO accounts (id, uuid, merchant_id, merchant_uuid, role, email, email_normalized, full_name, password_hash)
       SELECT 1000, u, 1000, u, 'merchant', $1, $1, 'Another', '' FROM gen_random_uuid() AS u`,
      [shop.merchant.email],
    );
    await pool.query(`INSERT INTO items (id, merchant_id, title, item_type) VALUES ($1, 1000, 'A', 'html_asset')`, [
      shop.item.id,
    ]);
    const { said } = await importFrom('merchant');
    expect(said).toContain('Nothing was imported.\n- accounts: 1 rows\n- items: 1 rows');
    expect(await merchantsOf(other)).toHaveLength(1);
    await pool.query('DELETE FROM items; DELETE FROM channels; DELETE FROM accounts');
  });
});

test('a later file replaces the first one, and only its code starts the merchant', async () => {
  expect(await importFrom('merchant')).toMatchObject({ code: 0 });
  await app.pool.query(`UPDATE items SET title = 'Changed' WHERE id = $1`, [shop.item.id]);
  expect(await runHere('moved', ...about)).toEqual(refused('Rows have changed since the export: items.'));
  await exported('again');
  const code = (await runHere('moved', ...about)).said.trim().split('\n').at(-1) ?? '';
  expect((await runHere('moved', ...about)).said).toContain(code);
  await writeFile(folder.at('code'), code);
  const start = () => other.run('start', ...about, '--code-file', folder.at('code'));
  expect(await start()).toEqual(refused('not that of the imported file'));
  expect(await importFrom('again')).toMatchObject({ code: 0 });
  expect((await other.pool.query('SELECT title FROM items')).rows).toEqual([{ title: 'Changed' }]);
  expect(await start()).toMatchObject({ code: 0 });
  expect(await start()).toMatchObject({ code: 0 });
  expect(await importFrom('merchant')).toEqual(refused('lives in this installation already'));
  for (const command of ['stop', 'keep']) expect(await runHere(command, ...about)).toMatchObject({ code: 1 });
  expect(await exportTo('late')).toEqual(refused('was moved to another installation'));
  const open = `SELECT count(*)::int AS open FROM merchant_states WHERE suspended_at IS NULL AND moving_since IS NULL`;
  expect((await other.pool.query<{ open: number }>(open)).rows).toEqual([{ open: 2 }]);
});

/** The parts of a file, each with its length. */
function partsOf(content: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 32; at < content.length;) {
    const end = at + 4 + content.readUInt32BE(at);
    parts.push(content.subarray(at, end));
    at = end;
  }
  return parts;
}
