import { call } from '../support/client';
import { createShop, type Person } from '../support/factories';
import { mailsTo } from '../support/mailbox';
import { dayAhead, live, startStory } from '../support/reporting';
import {
  agreeToReports,
  createSchedule,
  daily,
  describeSchedule,
  scheduleIdOf,
  stopTokenOf,
  triggerSchedule,
} from '../support/reportSchedules';
import { type Scenarios, startScenarios } from '../support/scenarios';
import { type TestApp } from '../support/startApp';
import { type TemporalClient } from '../support/temporalClient';
import { passDays } from '../support/testClock';
import { until } from '../support/until';

/** A Temporal Schedule starts a run for each period, and the report is mailed. */

let scenarios: Scenarios;
let app: TestApp;
let temporal: TemporalClient;

beforeAll(async () => {
  scenarios = await startScenarios();
  ({ app, temporal } = scenarios);
});
afterAll(() => scenarios.stop());

const reportsTo = async (merchant: Person, to: string) =>
  (await mailsTo(app, merchant, to)).filter(({ template }) => template === 'report');

/** A schedule of a merchant that earned something yesterday, by its clock. Its recipients have agreed to it. */
async function scheduled(fields: Record<string, unknown> & { recipients?: string[]; agreeing?: string[] } = {}) {
  const { agreeing = fields.recipients ?? daily.recipients, ...others } = fields;
  const shop = await createShop(app, { amount: '10.00' });
  await live(await startStory(app, shop), [['begin', 0]]);
  await passDays(app, shop.merchant, 1);
  const { id } = (await createSchedule(app, shop.merchant, others)).body;
  await agreeToReports(app, shop.merchant, agreeing);
  return { merchant: shop.merchant, id, scheduleId: await scheduleIdOf(app, id) };
}

test('each reader gets the report of yesterday, attached as CSV', async () => {
  const recipients = ['desk@example.org', 'books@example.org'];
  const { merchant, scheduleId } = await scheduled({ recipients });
  const { result, runId } = await triggerSchedule(temporal.client, scheduleId);
  const yesterday = dayAhead(0);
  expect(result).toEqual({ state: 'mailed', from: yesterday, to: yesterday });
  for (const to of recipients) {
    const [mail, ...others] = await reportsTo(merchant, to);
    expect(others).toEqual([]);
    expect(mail).toMatchObject({ attachment_name: `revenue-${yesterday}-${yesterday}.csv` });
    expect(mail?.text).toContain(`/console/reports?from=${yesterday}&to=${yesterday}`);
    expect(mail?.text).toMatch(/To end these emails, open http:\S+\/reporting\/stop\/[\w-]+$/m);
    const reply = await fetch(`${app.address}/test-mailbox/${mail?.id}/attachment`, {
      headers: { Authorization: `Bearer ${merchant.token}` },
    });
    expect(reply.headers.get('content-type')).toContain('text/csv');
    expect(await reply.text()).toBe(
      `period,currency,payments,revenue,refunds,chargebacks,net_revenue\r\n${yesterday},EUR,1,10,0,0,10\r\n`,
    );
  }
  const history = await temporal.historyOf(runId);
  expect(history).not.toContain('example.org');
});

test('who has not agreed, or has stopped the reports, gets none', async () => {
  const recipients = ['desk@example.org', 'books@example.org', 'new@example.org'];
  const { merchant, id, scheduleId } = await scheduled({ recipients, agreeing: recipients.slice(0, 2) });
  await call(app, 'POST', `/reporting/stop/${await stopTokenOf(app, id, 'books@example.org')}`, {});
  expect((await triggerSchedule(temporal.client, scheduleId)).result).toMatchObject({ state: 'mailed' });
  const counts = await Promise.all(recipients.map(async (to) => (await reportsTo(merchant, to)).length));
  expect(counts).toEqual([1, 0, 0]);
});

test('without a reader no report is made, and who agrees later gets the report of the same period', async () => {
  const { merchant, scheduleId } = await scheduled({ agreeing: [] });
  const yesterday = dayAhead(0);
  const { result } = await triggerSchedule(temporal.client, scheduleId);
  expect(result).toEqual({ state: 'unread', from: yesterday, to: yesterday });
  await agreeToReports(app, merchant, daily.recipients);
  expect((await triggerSchedule(temporal.client, scheduleId)).result).toMatchObject({ state: 'mailed' });
  expect(await reportsTo(merchant, 'desk@example.org')).toHaveLength(1);
});

test('in Arabic, from right to left', async () => {
  const { merchant, scheduleId } = await scheduled({ language: 'ar', report: 'mrr' });
  await triggerSchedule(temporal.client, scheduleId);
  const [mail] = await reportsTo(merchant, 'desk@example.org');
  expect(mail?.subject).toContain('الإيراد الشهري المتكرر');
  expect(mail?.html).toContain('<html lang="ar" dir="rtl">');
  expect(mail?.html).not.toContain('The button');
});

test('a period is mailed once, however often its run is started; the next day has its own', async () => {
  const { merchant, scheduleId } = await scheduled();
  await triggerSchedule(temporal.client, scheduleId);
  expect(await triggerSchedule(temporal.client, scheduleId)).toMatchObject({ result: { state: 'repeated' } });
  expect(await reportsTo(merchant, 'desk@example.org')).toHaveLength(1);
  await passDays(app, merchant, 1);
  expect(await triggerSchedule(temporal.client, scheduleId)).toMatchObject({
    result: { state: 'mailed', from: dayAhead(1) },
  });
  expect(await reportsTo(merchant, 'desk@example.org')).toHaveLength(2);
});

test('twenty at once mail a period once', async () => {
  const { merchant, id, scheduleId } = await scheduled();
  const { mailReport } = await import('../../src/reports/reportDeliveries.js');
  const input = { scheduleId: id, token: scheduleId.replace('report-', ''), atMs: Date.now() };
  const states = await Promise.all(Array.from({ length: 20 }, async () => (await mailReport(input)).state));
  expect(states.filter((state) => state === 'mailed')).toHaveLength(1);
  expect(await reportsTo(merchant, 'desk@example.org')).toHaveLength(1);
});

test('what is too long for a mail is to be had in the console', async () => {
  const { merchant, id, scheduleId } = await scheduled({ report: 'transactions', cadence: 'monthly' });
  await app.pool.query(
    `INSERT INTO charges (merchant_id, account_id, subscription_id, cycle, attempt, idempotency_key, card_id,
       amount_minor, currency, status, settled_at, created_at)
     SELECT merchant_id, account_id, subscription_id, 100 + n, 1, 'many-' || id || '-' || n, card_id, 100, currency, 'paid',
       created_at, created_at
     FROM charges, generate_series(1, 40000) AS n WHERE merchant_id = $1`,
    [merchant.id],
  );
  const { mailReport } = await import('../../src/reports/reportDeliveries.js');
  const token = scheduleId.replace('report-', '');
  const nextMonth = new Date();
  nextMonth.setUTCDate(1);
  nextMonth.setUTCMonth(nextMonth.getUTCMonth() + 1);
  expect(await mailReport({ scheduleId: id, token, atMs: nextMonth.getTime() })).toMatchObject({ state: 'mailed' });
  const [mail] = await reportsTo(merchant, 'desk@example.org');
  expect(mail?.attachment_name ?? '').toBe('');
  expect(mail?.text).toContain('too large for an email');
});

test('a schedule whose row is gone mails nothing, and ends', async () => {
  const { merchant, id, scheduleId } = await scheduled();
  await until(() => describeSchedule(temporal.client, scheduleId));
  // As in a backup of the workflow server that is older than the deletion.
  await app.pool.query('DELETE FROM report_schedules WHERE id = $1', [id]);
  expect((await triggerSchedule(temporal.client, scheduleId)).result).toEqual({ state: 'ended' });
  await until(async () => (await describeSchedule(temporal.client, scheduleId)) === undefined);
  expect(await reportsTo(merchant, 'desk@example.org')).toEqual([]);
});
