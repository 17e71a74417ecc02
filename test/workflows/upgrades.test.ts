import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { findFreePort } from '../../scripts/embedded/ports';
import { findFaults } from '../support/books';
import { type ChildProgram, startProgram } from '../support/childProcess';
import { call } from '../support/client';
import { createConsumer, createShop, reaches, type Shop, subscribe } from '../support/factories';
import { keyPair } from '../support/keys';
import { type ChildApi, prepareApi } from '../support/startApi';
import { until } from '../support/until';

/**
 * Two releases run side by side on one database and one Temporal, with purchases under way. The later release is this
 * program with more migrations.
 */

const root = resolve(__dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'paywall-releases-'));
/** What the later release adds: a column, an index, and a trigger that uses the column. */
const additions: Record<string, string> = {
  '300-notes.sql': `ALTER TABLE subscriptions ADD COLUMN note text NOT NULL DEFAULT '';
CREATE FUNCTION note_subscription() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.note = NEW.note || '.';
  RETURN NEW;
END $$;
CREATE TRIGGER subscriptions_note BEFORE UPDATE ON subscriptions FOR EACH ROW EXECUTE FUNCTION note_subscription();`,
  '310-notes.concurrently.sql':
    'CREATE INDEX CONCURRENTLY IF NOT EXISTS subscriptions_by_note ON subscriptions (merchant_id, note);',
};
const removal = {
  '320-removal.sql': `-- Programs need: 300-notes
DROP VIEW unfenced.subscriptions;
ALTER TABLE subscriptions DROP COLUMN run_checked_at;
SELECT unfence_table('subscriptions');`,
};

/** All replicas accept each other's tokens. */
const JWT_KEYS = JSON.stringify([keyPair('first').jwk]);

let api: ChildApi;
let owner: URL;
const running: ChildProgram[] = [];

beforeAll(async () => {
  api = await prepareApi();
  owner = new URL(process.env['TEST_DATABASE_ADMIN_URL'] ?? '');
  owner.pathname = new URL(process.env['DATABASE_URL'] ?? '').pathname;
});

afterAll(async () => {
  await Promise.all(running.map((child) => child.kill()));
  await api.stop();
  rmSync(folder, { recursive: true });
});

/** A copy of the build with further migrations. */
function buildRelease(name: string, migrations: Record<string, string>): string {
  const build = join(folder, name, 'dist');
  mkdirSync(join(folder, name));
  cpSync(join(root, 'dist'), build, { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, name, 'node_modules'));
  for (const [file, sql] of Object.entries(migrations))
    writeFileSync(join(build, 'src/adapters/postgres/schema', file), sql);
  return build;
}

interface Replica {
  address: string;
  child: ChildProgram;
}

/** An API that migrates the database at its start. */
async function launch(build?: string): Promise<Replica> {
  const PORT = String(await findFreePort());
  const settings = { PORT, METRICS_PORT: '0', JWT_KEYS, MIGRATION_DATABASE_URL: owner.href };
  const child = await startProgram('crashingApi', settings, undefined, build);
  running.push(child);
  return { address: `http://127.0.0.1:${PORT}`, child };
}

async function startReplica(build?: string): Promise<Replica> {
  const replica = await launch(build);
  const isReady = () =>
    fetch(`${replica.address}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(isReady);
  return replica;
}

async function startWorker(build?: string): Promise<ChildProgram> {
  const child = await startProgram('crashingWorker', {}, undefined, build);
  running.push(child);
  return child;
}

interface Purchase {
  shop: Shop;
  id: string;
}

/** Purchases that are accepted and whose outcome is not known yet. */
async function buyAt(replica: Replica, shop: Shop): Promise<Purchase[]> {
  const purchases = Array.from({ length: 4 }, async () => {
    const own = { ...shop, consumer: await createConsumer(replica, shop.merchant) };
    const { status, body } = await subscribe(replica, own);
    expect(status).toBe(202);
    return { shop: own, id: body.subscription_id };
  });
  return Promise.all(purchases);
}

async function arePaid(replica: Replica, purchases: Purchase[]): Promise<void> {
  for (const { shop, id } of purchases) {
    await reaches(replica, shop.consumer, id, 'active');
    expect(await findFaults(api.pool, id)).toEqual([]);
  }
}

test('202: purchases continue while a release is rolled out, and while it is taken back', async () => {
  const next = buildRelease('next', additions);
  const [before, firstWorker] = [await startReplica(), await startWorker()];
  const shop = await createShop(before);
  const purchases = await buyAt(before, shop);

  // Forward: both releases serve, then only the later one.
  const [after, nextWorker] = [await startReplica(next), await startWorker(next)];
  purchases.push(...(await buyAt(before, shop)), ...(await buyAt(after, shop)));
  await Promise.all([before.child.kill(), firstWorker.kill()]);
  purchases.push(...(await buyAt(after, shop)));
  await arePaid(after, purchases);

  // Back: the earlier release starts on the schema of the later one.
  const [again] = [await startReplica(), await startWorker()];
  purchases.push(...(await buyAt(after, shop)), ...(await buyAt(again, shop)));
  await Promise.all([after.child.kill(), nextWorker.kill()]);
  purchases.push(...(await buyAt(again, shop)));
  await arePaid(again, purchases);
  const { rows } = await api.pool.query<{ name: string }>("SELECT name FROM migrations WHERE name > '299' ORDER BY 1");
  expect(rows.map(({ name }) => name)).toEqual(['300-notes', '310-notes.concurrently']);
  expect((await call(again, 'GET', '/subscriptions', undefined, purchases[0]?.shop.consumer)).status).toBe(200);
});

test('a program does not start after a migration that needs a later one, and says which', async () => {
  await startReplica(buildRelease('last', { ...additions, ...removal }));
  const refused = await launch();
  expect(await refused.child.ended).toBe('exit code 1');
});
