import { type DatabaseServer } from './databaseServer';
import { until } from './until';

/** A primary and its streaming replica, of one test file, with a migrated template for `startApp`. */
export interface Replicated {
  primary: DatabaseServer;
  standby: DatabaseServer;
  /** Everything that the primary has written so far is on the standby. */
  caughtUp: () => Promise<unknown>;
  remove: () => Promise<void>;
}

/** Call it before the product is imported: it sets the addresses that the product reads then. */
export async function createReplicated(programs: string): Promise<Replicated> {
  const { DatabaseServer } = await import('./databaseServer.js');
  const primary = await DatabaseServer.create(programs);
  await primary.start();
  // A statement on the standby is canceled as soon as it holds up the replay.
  const standby = await primary.addStandby({ max_standby_streaming_delay: '0' });
  const at = (server: DatabaseServer, name: string) =>
    Object.assign(new URL(server.url), { pathname: `/${name}` }).href;
  Object.assign(process.env, {
    TEST_DATABASE_ADMIN_URL: primary.url,
    TEST_TEMPLATE_DATABASE: 'paywall_template',
    DATABASE_URL: at(primary, 'shop'),
    DATABASE_REPORTS_URL: at(standby, 'shop'),
  });
  await primary.query('CREATE DATABASE paywall_template');
  const { migrate } = await import('../../src/adapters/postgres/migrate.js');
  await migrate(at(primary, 'paywall_template'));
  return {
    primary,
    standby,
    caughtUp: async () => {
      const [row] = await primary.query<{ position: string }>('SELECT pg_current_wal_flush_lsn()::text AS position');
      const isReplayed = 'SELECT WHERE pg_last_wal_replay_lsn() >= $1::pg_lsn';
      await until(async () => (await standby.query(isReplayed, [row?.position])).length > 0);
    },
    remove: async () => {
      await standby.remove();
      await primary.remove();
    },
  };
}
