import { bundleTimeLapse } from '../support/bundles';
import { call } from '../support/client';
import { createMerchant } from '../support/factories';
import { agreeToReports, createSchedule, daily, describeSchedule, scheduleIdOf } from '../support/reportSchedules';
import { type TestApp } from '../support/startApp';
import { buy, capture, createStoreShop, mayWatch, push, startStoreApp, type Stores } from '../support/stores';
import { sweepAll, sweepDue } from '../support/sweeps';
import { type TemporalClient } from '../support/temporalClient';
import { startOwnTemporal, type OwnTemporal } from '../support/temporalServer';
import { until } from '../support/until';
import {
  answering,
  createWebhook,
  listDeliveries,
  publishEvents,
  runOf,
  startReceiver,
  type Receiver,
} from '../support/webhooks';

/** Temporal's store is lost. Reports, webhook deliveries and unclaimed purchases continue from their rows. */

let server: OwnTemporal;
let app: TestApp;
let stop: () => Promise<void>;
let stores: Stores;
let temporal: TemporalClient;
let receiver: Receiver;

beforeAll(async () => {
  server = await startOwnTemporal();
  const bundle = await bundleTimeLapse();
  const own = { TEMPORAL_ADDRESS: server.address, WORKFLOW_BUNDLE: bundle, WEBHOOK_ALLOW_PRIVATE: 'true' };
  ({ app, stores, temporal, stop } = await startStoreApp(own));
  receiver = await startReceiver();
});

afterAll(async () => {
  await stop();
  await receiver.stop();
  await server.stop();
});

async function loseStore(): Promise<void> {
  await until(async () => (await app.pool.query('SELECT 1 FROM outbox')).rows.length === 0);
  await server.kill();
  await server.startEmpty();
}

test('two daily reports that were due meanwhile are mailed once each, and the schedule exists again', async () => {
  const merchant = await createMerchant(app);
  const { id } = (await createSchedule(app, merchant)).body;
  await agreeToReports(app, merchant, daily.recipients);
  const scheduleId = await scheduleIdOf(app, id);
  await loseStore();
  const dueAt = async () =>
    (await app.pool.query<{ at: Date }>('SELECT next_due_at AS at FROM report_schedules WHERE id = $1', [id])).rows[0];
  const next = (await dueAt())?.at.getTime() ?? 0;
  await app.pool.query(`UPDATE report_schedules SET next_due_at = next_due_at - interval '2 days' WHERE id = $1`, [id]);
  await until(async () => {
    await sweepDue();
    return (await dueAt())?.at.getTime() === next;
  });
  const mailed = 'SELECT from_day::text AS day FROM report_mailings WHERE schedule_id = $1 ORDER BY from_day';
  const days = (await app.pool.query<{ day: string }>(mailed, [id])).rows.map(({ day }) => day);
  const dayBefore = (daysAgo: number) => new Date(next - daysAgo * 86_400_000).toISOString().slice(0, 10);
  expect(days).toEqual([dayBefore(3), dayBefore(2)]);
  const mails = `SELECT 1 FROM mails WHERE template = 'report' AND merchant_id = $1`;
  expect((await app.pool.query(mails, [merchant.id])).rows).toHaveLength(2);
  await sweepAll();
  expect((await describeSchedule(temporal.client, scheduleId))?.spec.calendars).toHaveLength(1);
});

test('a waiting delivery is sent, and an endpoint with nothing to send needs no run', async () => {
  const merchant = await createMerchant(app);
  receiver.answer = answering(500);
  const { id } = await createWebhook(app, merchant, { url: receiver.url });
  const idle = await createWebhook(app, merchant, { url: receiver.url, events: ['account.logout'] });
  await publishEvents(merchant, ['access.granted']);
  const attempted = () => listDeliveries(app, merchant, id).then(([delivery]) => (delivery?.attempts ?? 0) > 0);
  await until(attempted);
  const isIdle = `SELECT 1 FROM webhook_wakes WHERE endpoint_id = $1 AND next_due_at IS NULL`;
  await until(async () => (await app.pool.query(isIdle, [idle.id])).rows.length === 1);
  await loseStore();
  receiver.answer = answering(200);

  expect(await sweepAll()).toBeGreaterThan(0);
  expect(await temporal.isRunning(await runOf(app, idle.id))).toBe(false);
  await until(async () => (await listDeliveries(app, merchant, id, 'delivered')).length === 1);
});

test('events for an endpoint without a run arrive, and events for a disabled endpoint do not', async () => {
  const merchant = await createMerchant(app);
  receiver.answer = answering(200);
  const { id } = await createWebhook(app, merchant, { url: receiver.url });
  const off = await createWebhook(app, merchant, { url: receiver.url });
  await call(app, 'PATCH', `/webhooks/${off.id}`, { enabled: 'false' }, merchant);
  await loseStore();
  await server.kill();
  await publishEvents(merchant, ['access.granted']);
  // The message that wakes the runs is lost with the store that had accepted it.
  await app.pool.query('DELETE FROM outbox');
  await server.startEmpty();
  await until(async () => {
    await sweepDue().catch(() => 0);
    return (await listDeliveries(app, merchant, id, 'delivered')).length === 1;
  });
  const due = 'SELECT next_due_at FROM webhook_wakes WHERE endpoint_id = $1';
  await until(async () => (await app.pool.query<{ next_due_at: null }>(due, [off.id])).rows[0]?.next_due_at === null);
  expect(await listDeliveries(app, merchant, off.id)).toEqual([]);
});

test('subscribe.success: an unclaimed purchase gets its account after the store is asked', async () => {
  const shop = await createStoreShop(app, stores);
  const buyUnseen = async (accountUuid: string | null) => {
    const sendings = await capture(stores, () => buy(shop, 'google-play', { accountUuid }));
    for (const sending of sendings) expect((await push(app, sending)).status).toBe(200);
  };
  // Google's keys are fetched with the first notification and cached.
  await buyUnseen(null);
  stores.simulator.setHealth('down');
  await buyUnseen(shop.consumer.uuid);
  const waiting = 'SELECT token FROM unclaimed_purchases WHERE merchant_id = $1';
  const { rows } = await app.pool.query<{ token: string }>(waiting, [shop.merchant.id]);
  expect(rows.length).toBeGreaterThan(0);
  await loseStore();
  stores.simulator.setHealth('well');
  expect(await mayWatch(shop, shop.consumer)).toBe(false);
  expect(await sweepAll()).toBeGreaterThanOrEqual(rows.length);
  await until(() => mayWatch(shop, shop.consumer));
  await until(async () => (await app.pool.query(waiting, [shop.merchant.id])).rows.length === 0);
});
