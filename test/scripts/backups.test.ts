import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { appendFile, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { migrate } from '../../src/adapters/postgres/migrate';
import { migrations } from '../../src/adapters/postgres/migrations';
import { DatabaseServer, findServerPrograms } from '../support/databaseServer';
import { until } from '../support/until';

const programs = findServerPrograms();
const title = 'backup and restore of a database server';
const drill = programs === undefined ? describe.skip : describe;

drill(programs === undefined ? `${title} (skipped: no pg_basebackup is found)` : title, () => {
  let server: DatabaseServer;
  const marks = async () =>
    (await server.query<{ name: string }>('SELECT name FROM marks ORDER BY id')).map(({ name }) => name);
  const mark = (name: string) => server.query('INSERT INTO marks (name) VALUES ($1)', [name]);
  const nextSecond = () => server.nextSecond();
  const archive = () => server.archive();
  const bases = async () => (await readdir(join(server.backups, 'base'))).sort();
  const loseServer = async () => {
    await server.kill();
    await rm(server.data, { recursive: true });
  };

  beforeAll(async () => {
    server = await DatabaseServer.create(programs ?? '');
    await server.start();
    await migrate(server.url);
    await server.query('CREATE TABLE marks (id int GENERATED ALWAYS AS IDENTITY, name text)');
  });
  afterAll(() => server.remove());

  describe('after the machine of the database is lost', () => {
    let between = '';
    let beforeAny = '';

    beforeAll(async () => {
      beforeAny = await nextSecond();
      await nextSecond();
      await mark('before the backup');
      await server.script('backup.sh');
      await mark('before the moment');
      between = await nextSecond();
      await mark('after the moment');
      await archive();
      await loseServer();
    });

    test('a moment comes back: everything until then, and nothing later', async () => {
      expect(await server.script('restore.sh', [between])).toContain(`up to ${between}`);
      await server.start();
      expect(await marks()).toEqual(['before the backup', 'before the moment']);
      const applied = await server.query<{ name: string }>('SELECT name FROM migrations ORDER BY name');
      expect(applied.map(({ name }) => name)).toEqual(migrations.map(({ name }) => name).toSorted());
    });

    test('the command `restored` then prepares the restored database', async () => {
      const program = resolve(__dirname, '../../dist/scripts/restored.js');
      const env = { ...process.env, DATABASE_URL: server.url };
      const { stdout } = await promisify(execFile)(process.execPath, [program, between], { env });
      expect(stdout).toContain(`Restored to ${between.replace('Z', '.000Z')}`);
    });

    test('the restored server goes on archiving, and a restore without a time gives its last state', async () => {
      await mark('after the restore');
      await archive();
      await loseServer();
      await server.script('restore.sh');
      await server.start();
      expect(await marks()).toEqual(['before the backup', 'before the moment', 'after the restore']);
    });

    test('a first restore to a wrong moment can be undone: RESTORE_TIMELINE=1 gives what the lost server had', async () => {
      await loseServer();
      await server.script('restore.sh', [], { RESTORE_TIMELINE: '1' });
      await server.start();
      expect(await marks()).toEqual(['before the backup', 'before the moment', 'after the moment']);
    });

    test('a restore keeps what the data folder held', async () => {
      await server.kill('SIGINT');
      expect(await server.script('restore.sh', [between])).toMatch(/kept the old data in \S+data\.before-\d{8}T\d{6}Z/);
      await server.start();
      expect(await marks()).toEqual(['before the backup', 'before the moment']);
    });

    test('a restore refuses a running server, a time before each backup, and a text that is no time', async () => {
      await expect(server.script('restore.sh')).rejects.toThrow('stop it first');
      await server.kill('SIGINT');
      await expect(server.script('restore.sh', [beforeAny])).rejects.toThrow(`no complete backup of ${beforeAny}`);
      await expect(server.script('restore.sh', ['yesterday'])).rejects.toThrow('the time must be like');
      await server.start();
      expect(await marks()).toContain('before the moment');
    });
  });

  test('a newer backup replaces those of BACKUP_KEEP_DAYS ago and their log, and never itself', async () => {
    const [old] = await bases();
    const log = await archive();
    const longAgo = new Date(Date.now() - 20 * 86_400_000);
    await utimes(join(server.backups, 'base', old ?? ''), longAgo, longAgo);
    await nextSecond();
    expect(await server.script('backup.sh', [], { BACKUP_KEEP_DAYS: '14' })).toContain(`deleted `);
    const kept = await bases();
    expect(kept).toHaveLength(1);
    expect(kept).not.toContain(old);
    expect(existsSync(log)).toBe(false);
    const [only] = kept;
    await utimes(join(server.backups, 'base', only ?? ''), longAgo, longAgo);
    await expect(server.script('check.sh', [])).rejects.toThrow('no backup of the last 1560 minutes');
  });

  test('the folder of a backup that was interrupted is never restored and goes with the next backup', async () => {
    await nextSecond();
    const unfinished = join(server.backups, 'base', '20990101T000000Z.part');
    await server.script('backup.sh');
    await promisify(execFile)('cp', ['-rp', join(server.backups, 'base', (await bases())[0] ?? ''), unfinished]);
    await nextSecond();
    await server.script('backup.sh');
    expect(existsSync(unfinished)).toBe(false);
  });

  test('an archived part of the log is kept when another comes under its name, and the same part is fine', async () => {
    const part = join(server.backups, 'part');
    await writeFile(part, 'one', { mode: 0o644 });
    await server.script('archive.sh', [part, 'part-of-the-log']);
    await server.script('archive.sh', [part, 'part-of-the-log']);
    await writeFile(part, 'two');
    await expect(server.script('archive.sh', [part, 'part-of-the-log'])).rejects.toThrow(
      'already holds something else',
    );
  });

  test('the list of erasures has only uuids, and keeps those that a restored database does not know', async () => {
    const list = join(server.backups, 'erasures');
    await server.script('erasures.sh');
    expect(await readFile(list, 'utf8')).toBe('');
    await writeFile(list, 'e5e7a7c8-6a33-4b5e-9f6b-1b7ad4d5f2b0\n');
    await server.script('erasures.sh');
    await server.script('erasures.sh');
    expect(await readFile(list, 'utf8')).toBe('e5e7a7c8-6a33-4b5e-9f6b-1b7ad4d5f2b0\n');
    await expect(server.script('erasures.sh', [], { PGDATABASE: 'none' })).rejects.toThrow('"none" does not exist');
    expect(await readFile(list, 'utf8')).toBe('e5e7a7c8-6a33-4b5e-9f6b-1b7ad4d5f2b0\n');
  });

  test('the check needs a young backup, and a list of erasures of the last 10 minutes', async () => {
    const list = join(server.backups, 'erasures');
    await server.script('erasures.sh');
    expect(await server.script('check.sh')).toBe('');
    await ageBy(list, 11);
    await expect(server.script('check.sh')).rejects.toThrow(
      'the list of erasures was not written in the last 10 minutes',
    );
    // A list without a change counts as written, and a failure does not.
    await server.script('erasures.sh');
    expect(await server.script('check.sh')).toBe('');
    await ageBy(list, 11);
    await expect(server.script('erasures.sh', [], { PGDATABASE: 'none' })).rejects.toThrow('"none" does not exist');
    await expect(server.script('check.sh')).rejects.toThrow('the list of erasures');
    await rm(list);
    await expect(server.script('check.sh')).rejects.toThrow('the list of erasures');
    await server.script('erasures.sh');
  });

  test('an old list of erasures is no reason for another backup', async () => {
    await ageBy(join(server.backups, 'erasures'), 11);
    expect(await server.script('young.sh', ['0'])).toBe('');
    await server.script('erasures.sh');
  });

  test('an erasure is in the list while a slow backup still runs, and the next backup waits for its end', async () => {
    const list = join(server.backups, 'erasures');
    const [begun, gate] = [join(server.backups, 'begun'), join(server.backups, 'gate')];
    await promisify(execFile)('mkfifo', ['-m', '0666', gate]);
    const path = await server.replacePrograms({
      // The minutes of the schedule pass at once. The backup reads the gate until the test writes there.
      sleep: 'exec /bin/sleep 0.05',
      pg_basebackup: `echo begun >>"${begun}"; cat "${gate}"; exit 1`,
    });
    const stop = new AbortController();
    const schedule = server.script('schedule.sh', [], { ...path, BACKUP_EVERY_HOURS: '0' }, stop.signal);
    await until(() => existsSync(begun));
    const uuid = await eraseAccount(server);
    await until(async () => (await readFile(list, 'utf8')).includes(uuid));
    expect(await readFile(begun, 'utf8')).toBe('begun\n');
    await writeFile(gate, '');
    await until(async () => (await readFile(begun, 'utf8')) === 'begun\nbegun\n');
    stop.abort();
    await expect(schedule).rejects.toThrow('aborted');
    await writeFile(gate, '');
  });

  test('a first backup that fails leaves a row, so that the alert about an old backup can fire', async () => {
    await server.query('DELETE FROM base_backups');
    const path = await server.replacePrograms({ pg_basebackup: 'echo no room >&2; exit 1' });
    await expect(server.script('backup.sh', [], path)).rejects.toThrow('no room');
    await expect(server.script('backup.sh', [], path)).rejects.toThrow('no room');
    const rows = () => server.query('SELECT name FROM base_backups ORDER BY ended_at');
    expect(await rows()).toEqual([{ name: 'expected' }]);
    await nextSecond();
    await server.script('backup.sh');
    expect(await rows()).toEqual([{ name: 'expected' }, { name: (await bases()).at(-1) }]);
  });

  test('a damaged backup is refused before anything is replaced', async () => {
    await server.kill('SIGINT');
    for (const name of await bases()) await appendFile(join(server.backups, 'base', name, 'backup_manifest'), 'damage');
    await expect(server.script('restore.sh')).rejects.toThrow('pg_verifybackup');
    await server.start();
    expect(await marks()).toContain('before the moment');
  });
});

/** Moves the time of the last change of a file to some minutes ago. */
async function ageBy(path: string, minutes: number): Promise<void> {
  const then = new Date(Date.now() - minutes * 60_000);
  await utimes(path, then, then);
}

/** The uuid of a new account whose erasure has begun. */
async function eraseAccount(server: DatabaseServer): Promise<string> {
  const uuid = randomUUID();
  await server.query(
    `WITH account AS (
       INSERT INTO accounts (id, uuid, merchant_id, merchant_uuid, role, email, email_normalized, full_name, password_hash)
       VALUES (1, $1, 1, $1, 'merchant', '', '', '', '') RETURNING id
     ) INSERT INTO account_operations (merchant_id, account_id, kind) SELECT id, id, 'erasure' FROM account`,
    [uuid],
  );
  return uuid;
}
