import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { migrate } from '../../src/adapters/postgres/migrate';
import { DatabaseServer, findServerPrograms } from '../support/databaseServer';
import { readMetric } from '../support/metrics';
import { until } from '../support/until';

/** The metrics of a database server with backups, whose archive and which itself go away. */

const programs = findServerPrograms();
const title = 'metrics of a database server';
const withServer = programs === undefined ? describe.skip : describe;

withServer(programs === undefined ? `${title} (skipped: no pg_basebackup is found)` : title, () => {
  let server: DatabaseServer;

  beforeAll(async () => {
    server = await DatabaseServer.create(programs ?? '');
    await server.start();
    await migrate(server.url);
    // The product reads its settings when it is first imported.
    process.env['DATABASE_URL'] = server.url;
  });

  afterAll(async () => {
    const { closeDatabase } = await import('../../src/adapters/postgres/connection.js');
    await closeDatabase();
    await server.remove();
  });

  const age = () => readMetric('paywall_backup_age_seconds{kind="base"}');
  const failing = () => readMetric('paywall_wal_archive_failing');

  test('the age of a backup has no value before the first backup', async () => expect(await age()).toBeNaN());

  test('a backup counts from its end, and the newest one decides', async () => {
    await server.script('backup.sh');
    expect(await age()).toBeGreaterThanOrEqual(0);
    expect(await age()).toBeLessThan(600);
    await server.query(`UPDATE base_backups SET ended_at = now() - interval '27 hours'`);
    expect(await age()).toBeGreaterThan(26 * 3600);
    await server.nextSecond();
    await server.script('backup.sh');
    expect(await age()).toBeLessThan(600);
  });

  test('the role of the backups needs no more than the rights that docs/backups.md names', async () => {
    await server.query(`CREATE ROLE backup LOGIN REPLICATION PASSWORD 'backup-of-a-test'`);
    await server.query('GRANT INSERT ON base_backups TO backup');
    await server.nextSecond();
    await server.script('backup.sh', [], { PGUSER: 'backup', PGPASSWORD: 'backup-of-a-test' });
    expect(await server.query(`SELECT FROM base_backups WHERE name <> 'expected'`)).toHaveLength(3);
  });

  test('a backup that cannot be recorded is made, and says so', async () => {
    await server.query('ALTER TABLE base_backups RENAME TO base_backups_away');
    await server.nextSecond();
    expect(await server.script('backup.sh')).toContain('made ');
    await server.query('ALTER TABLE base_backups_away RENAME TO base_backups');
    expect(await server.query(`SELECT FROM base_backups WHERE name <> 'expected'`)).toHaveLength(3);
  });

  test('the archive fails while its folder cannot be written, and works again afterwards', async () => {
    await server.archive();
    expect(await failing()).toBe(0);
    const folder = join(server.backups, 'wal');
    await rename(folder, `${folder}.away`);
    await writeFile(folder, 'no folder');
    await server.query("SELECT pg_logical_emit_message(true, 'test', 'a change')");
    await server.query('SELECT pg_switch_wal()');
    await until(async () => (await failing()) === 1);
    await rm(folder);
    await rename(`${folder}.away`, folder);
    await until(async () => (await failing()) === 0);
  });

  test('without the database, its own metrics are served: it is not up', async () => {
    expect(await readMetric('paywall_database_up')).toBe(1);
    await server.kill('SIGINT');
    expect(await readMetric('paywall_database_up')).toBe(0);
    expect(await readMetric('process_resident_memory_bytes')).toBeGreaterThan(0);
    expect(await readMetric('paywall_outbox_parked')).toBeNaN();
    await server.start();
    await until(async () => (await readMetric('paywall_database_up')) === 1);
    await until(async () => (await readMetric('paywall_outbox_parked')) === 0);
  });
});
