import '../support/sharedKeys';
import { check, giveByHand } from '../support/access';
import { call } from '../support/client';
import { findServerPrograms } from '../support/databaseServer';
import { createConsumer, createShop, reaches, type Shop, subscribe } from '../support/factories';
import { readMetrics } from '../support/metrics';
import { enterConsole } from '../support/pageWalker';
import { startReplica } from '../support/replica';
import { createReplicated, type Replicated } from '../support/standby';
import { startApp, type TestApp } from '../support/startApp';
import { until } from '../support/until';

/** Reports of an installation with a real streaming replica. */

const programs = findServerPrograms();
const title = 'reports with a replica';
const withServers = programs === undefined ? describe.skip : describe;

interface Revenue {
  as_of?: number;
  collection: { payments: number }[];
}

withServers(programs === undefined ? `${title} (skipped: no pg_basebackup is found)` : title, () => {
  let servers: Replicated;
  let app: TestApp;
  let shop: Shop;

  const report = async (at: Pick<TestApp, 'address'> = app) => {
    const { status, body } = await call<Revenue>(at, 'GET', '/reporting/revenue', undefined, shop.merchant);
    expect(status).toBe(200);
    return { payments: body.collection[0]?.payments ?? 0, asOf: body.as_of };
  };
  const buy = async (buyer: Shop) => {
    const { body } = await subscribe(app, buyer);
    await reaches(app, buyer.consumer, body.subscription_id, 'active');
  };
  const another = async () => ({ ...shop, consumer: await createConsumer(app, shop.merchant) });
  const fallbacks = async (reason: string) =>
    Number(
      new RegExp(`^paywall_report_fallbacks_total{reason="${reason}"} (\\d+)$`, 'm').exec(await readMetrics())?.[1],
    );
  const statementsOfStandby = `SELECT query FROM pg_stat_activity WHERE datname = 'shop' AND state = 'active' AND query LIKE $1`;

  beforeAll(async () => {
    servers = await createReplicated(programs ?? '');
    app = await startApp();
    await app.startWorker();
    shop = await createShop(app);
    await buy(shop);
    await servers.caughtUp();
  });
  afterAll(async () => {
    await servers.standby.query('SELECT pg_wal_replay_resume()').catch(() => undefined);
    await app.stop();
    await servers.remove();
  });

  describe('while the replay is paused', () => {
    let buyer: Shop;
    beforeAll(async () => {
      await servers.standby.query('SELECT pg_wal_replay_pause()');
      await until(async () => {
        const paused = `SELECT WHERE pg_get_wal_replay_pause_state() = 'paused'`;
        return (await servers.standby.query(paused)).length > 0;
      });
      buyer = await another();
      await buy(buyer);
    });
    afterAll(async () => {
      await servers.standby.query('SELECT pg_wal_replay_resume()');
      await servers.caughtUp();
    });

    test('200: a report shows the state of the replica and its time', async () => {
      const shown = await until(async () => {
        const found = await report();
        return found.asOf === undefined ? undefined : found;
      });
      expect(shown.payments).toBe(1);
      const [row] = await servers.standby.query<{ at: number }>(
        'SELECT floor(extract(epoch FROM pg_last_xact_replay_timestamp()))::int AS at',
      );
      expect(shown.asOf).toBe(row?.at);
    });

    test('200: the console says which time its report shows', async () => {
      const visitor = await enterConsole(app, shop.merchant.email);
      expect((await visitor.open('/console/reports')).text).toContain('The figures are as of');
    });

    test('200: an access check reads the primary, also of an access that the replica does not have', async () => {
      expect((await check(app, shop.item.id, buyer.consumer)).status).toBe(200);
      const given = await another();
      await giveByHand(app, given);
      expect((await check(app, shop.item.id, given.consumer)).status).toBe(200);
    });

    test('200: a lag above REPORTS_LAG_SECONDS: the report comes from the primary and shows the present', async () => {
      process.env['REPORTS_LAG_SECONDS'] = '1';
      const strict = await startReplica();
      const shown = await until(async () => {
        const found = await report(strict);
        return found.payments === 2 ? found : undefined;
      });
      expect(shown.asOf).toBeUndefined();
      await strict.stop();
    });

    test('paywall_replica_lag_seconds tells how far the replica is behind', async () => {
      await until(async () => Number(/^paywall_replica_lag_seconds (\S+)$/m.exec(await readMetrics())?.[1]) > 1);
    });
  });

  test('200: a replica without a lag answers without a time', async () => {
    await until(async () => (await report()).asOf === undefined);
    expect((await report()).payments).toBe(2);
  });

  test('the policies of the replica know the merchant of the caller', async () => {
    const { asReport, reportQuery } = await import('../../src/adapters/postgres/reports.js');
    const { withinMerchant } = await import('../../src/adapters/postgres/requestWork.js');
    const text = `SELECT coalesce(current_setting('paywall.merchant', true), '') AS merchant, pg_is_in_recovery() AS standby`;
    const read = () =>
      asReport(async () => ({ rows: await reportQuery<{ merchant: string; standby: boolean }>(text, []) }));
    for (const merchant of ['', '7', '8', ''])
      expect((await (merchant === '' ? read() : withinMerchant(Number(merchant), read))).rows).toEqual([
        { merchant, standby: true },
      ]);
  });

  test('a statement that the replica cancels in a conflict with its replay is read from the primary', async () => {
    const { asReport, reportQuery } = await import('../../src/adapters/postgres/reports.js');
    await app.pool.query("CREATE TABLE marks AS SELECT 'here' AS name");
    await servers.caughtUp();
    const before = await fallbacks('conflict');
    const reading = asReport(async () => ({
      rows: await reportQuery<{ standby: boolean; name: string }>(
        'SELECT name, pg_is_in_recovery() AS standby, CASE WHEN pg_is_in_recovery() THEN pg_sleep(14) END FROM marks',
        [],
      ),
    }));
    await until(async () => (await servers.standby.query(statementsOfStandby, ['%FROM marks%'])).length > 0);
    await app.pool.query('ALTER TABLE marks ADD COLUMN more int');
    expect((await reading).rows).toMatchObject([{ name: 'here', standby: false }]);
    expect(await fallbacks('conflict')).toBe(before + 1);
  });

  test('a statement of a report that writes is refused, and the primary does not run it either', async () => {
    const { asReport, reportQuery } = await import('../../src/adapters/postgres/reports.js');
    const writing = asReport(async () => ({ rows: await reportQuery("INSERT INTO marks VALUES ('new')", []) }));
    await expect(writing).rejects.toMatchObject({ code: '25006' });
    expect((await app.pool.query('SELECT FROM marks')).rowCount).toBe(1);
  });

  test('a statement outside of a report reads the primary', async () => {
    const { reportQuery } = await import('../../src/adapters/postgres/reports.js');
    expect(await reportQuery('SELECT pg_is_in_recovery() AS standby', [])).toEqual([{ standby: false }]);
  });

  test('a CSV file is read from the replica, part by part', async () => {
    const { asReportPart, reportQuery } = await import('../../src/adapters/postgres/reports.js');
    const read = asReportPart((text: string) => reportQuery(text, []));
    expect(await read('SELECT pg_is_in_recovery() AS standby')).toEqual([{ standby: true }]);
  });

  test('200: the replica is killed: no report fails, and readiness stays', async () => {
    const running = Array.from({ length: 5 }, () => report());
    await servers.standby.kill();
    const later = await Promise.all([...running, ...Array.from({ length: 5 }, () => report())]);
    expect(later.map(({ payments }) => payments)).toEqual(later.map(() => 2));
    expect((await call(app, 'GET', '/health/ready')).status).toBe(200);
    expect(await fallbacks('away')).toBeGreaterThan(0);
    expect(await readMetrics()).toMatch(/^paywall_replica_lag_seconds \+Inf$/m);
  });

  test('200: a replica that is back is used again, and one that was promoted is not', async () => {
    const { asReport, reportQuery } = await import('../../src/adapters/postgres/reports.js');
    const isRead = async () => {
      const text = 'SELECT pg_is_in_recovery() AS standby';
      const { rows } = await asReport(async () => ({ rows: await reportQuery<{ standby: boolean }>(text, []) }));
      return rows[0]?.standby;
    };
    await servers.standby.start('standby');
    await until(isRead);
    await servers.standby.query('SELECT pg_promote()');
    await expect(isRead()).resolves.toBe(false);
  });
});
