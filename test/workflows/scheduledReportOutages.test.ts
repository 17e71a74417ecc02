import { call } from '../support/client';
import { createMerchant } from '../support/factories';
import { createSchedule, describeSchedule, scheduleIdOf } from '../support/reportSchedules';
import { startApp, type TestApp } from '../support/startApp';
import { connectTemporal, type TemporalClient } from '../support/temporalClient';
import { startOwnTemporal, type OwnTemporal } from '../support/temporalServer';
import { sweepAll } from '../support/sweeps';
import { until } from '../support/until';

/** The workflow server stops and starts again. Then it has every schedule as in its row. */

let server: OwnTemporal;
let app: TestApp;
let temporal: TemporalClient;

beforeAll(async () => {
  server = await startOwnTemporal();
  app = await startApp({ TEMPORAL_ADDRESS: server.address });
});

afterAll(async () => {
  await temporal.close();
  await app.stop();
  await server.stop();
});

test('made, changed and deleted while it is away', async () => {
  const merchant = await createMerchant(app);
  const old = (await createSchedule(app, merchant)).body;
  const oldId = await scheduleIdOf(app, old.id);
  await until(async () => (await app.pool.query('SELECT FROM outbox')).rowCount === 0);
  await server.kill();
  const made = await createSchedule(app, merchant);
  expect(made.status).toBe(201);
  const madeId = await scheduleIdOf(app, made.body.id);
  const changed = await call(app, 'PATCH', `/reporting/schedules/${made.body.id}`, { cadence: 'weekly' }, merchant);
  expect(changed.status).toBe(200);
  expect((await call(app, 'DELETE', `/reporting/schedules/${old.id}`, undefined, merchant)).status).toBe(200);
  await server.start();
  temporal = await connectTemporal();
  const { spec } = await until(async () => {
    const found = await describeSchedule(temporal.client, madeId);
    return found?.spec.calendars?.[0]?.dayOfWeek?.[0]?.start === 'MONDAY' && found;
  });
  expect(spec.calendars).toHaveLength(1);
  await until(async () => (await describeSchedule(temporal.client, oldId)) === undefined);
});

test('a schedule that the server has lost: a sweep creates it again, and does not change the others', async () => {
  const merchant = await createMerchant(app);
  const [lostId = '', keptId = ''] = await Promise.all(
    ['weekly', 'daily'].map(async (cadence) => {
      const id = await scheduleIdOf(app, (await createSchedule(app, merchant, { cadence })).body.id);
      await until(() => describeSchedule(temporal.client, id));
      return id;
    }),
  );
  await temporal.client.schedule.getHandle(lostId).delete();
  await temporal.client.schedule.getHandle(keptId).pause('by an operator');
  await sweepAll();
  const { spec } = await until(() => describeSchedule(temporal.client, lostId));
  expect(spec.calendars?.[0]?.dayOfWeek?.[0]?.start).toBe('MONDAY');
  expect((await describeSchedule(temporal.client, keptId))?.state.note).toBe('by an operator');
});
