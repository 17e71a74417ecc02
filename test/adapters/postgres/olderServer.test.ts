import { DatabaseServer, findServerPrograms } from '../../support/databaseServer';

/** A PostgreSQL of the system, which is often older than the one of the other tests. Releases from 15 on are supported. */

const programs = findServerPrograms();
const title = 'a PostgreSQL of the system';
const withServer = programs === undefined ? describe.skip : describe;

withServer(programs === undefined ? `${title} (skipped: no pg_basebackup is found)` : title, () => {
  let server: DatabaseServer;
  let close: () => Promise<void>;

  beforeAll(async () => {
    server = await DatabaseServer.create(programs ?? '');
    await server.start();
    await server.query('CREATE DATABASE shop');
    const url = Object.assign(new URL(server.url), { pathname: '/shop' }).href;
    process.env['DATABASE_URL'] = url;
    const { migrate } = await import('../../../src/adapters/postgres/migrate.js');
    await migrate(url);
    ({ closeDatabase: close } = await import('../../../src/adapters/postgres/connection.js'));
    const { openDataKey } = await import('../../../src/adapters/dataKey.js');
    await openDataKey();
  });

  afterAll(async () => {
    await close();
    await server.remove();
  });

  test('a guess after a wrong one is checked, and the one after the sixth wrong one is refused', async () => {
    const { throttleAttempts } = await import('../../../src/adapters/postgres/throttling.js');
    const attempt = { kind: 'sign-in', subject: 'someone', address: '192.0.2.1' } as const;
    const guess = (found: string | undefined) => throttleAttempts(attempt, () => Promise.resolve(found));
    expect(await guess(undefined)).toBeUndefined();
    expect(await guess('the owner')).toBe('the owner');
    const stranger = { ...attempt, subject: 'another', address: '192.0.2.2' };
    const wrong = () => throttleAttempts(stranger, () => Promise.resolve(undefined));
    for (let failures = 1; failures <= 6; failures += 1) expect(await wrong()).toBeUndefined();
    await expect(wrong()).rejects.toMatchObject({ code: 'too_many_requests' });
  });
});
