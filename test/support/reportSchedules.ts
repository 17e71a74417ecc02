import { type Client } from '@temporalio/client';
import { type z } from 'zod';
import { type ReportScheduleResponse } from '../../src/reports/schedules.schemas';
import { call, type Reply } from './client';
import { receives } from './mailbox';
import { type Person } from './factories';
import { type TestApp } from './startApp';
import { until } from './until';

export type Schedule = z.output<typeof ReportScheduleResponse>;

export const daily = { report: 'revenue', cadence: 'daily', recipients: ['desk@example.org'] };

export function createSchedule(
  app: Pick<TestApp, 'address'>,
  merchant: Person,
  fields: Record<string, unknown> = {},
): Promise<Reply<Schedule>> {
  return call<Schedule>(app, 'POST', '/reporting/schedules', { ...daily, ...fields }, merchant);
}

/** The id of its Temporal Schedule, and the prefix of the ids of its runs. */
export async function scheduleIdOf(app: TestApp, id: number): Promise<string> {
  const { rows } = await app.pool.query<{ token: string }>('SELECT token FROM report_schedules WHERE id = $1', [id]);
  return `report-${rows[0]?.token}`;
}

/** The schedule in the workflow server; undefined if there is none. */
export const describeSchedule = (client: Client, scheduleId: string) =>
  client.schedule
    .getHandle(scheduleId)
    .describe()
    .catch(() => undefined);

/** Makes the workflow server start the next run of the schedule, and waits for its result. */
export async function triggerSchedule(client: Client, scheduleId: string): Promise<{ runId: string; result: unknown }> {
  const handle = client.schedule.getHandle(scheduleId);
  const actionsOf = async () => (await handle.describe()).info.recentActions;
  const before = (await until(() => actionsOf().catch(() => undefined))).length;
  await handle.trigger();
  const { workflowId } = await until(async () => {
    const actions = await actionsOf();
    return actions.length > before && actions.at(-1)?.action.workflow;
  });
  return { runId: workflowId, result: await client.workflow.getHandle(workflowId).result() };
}

/** The token of the link with which a recipient ends the mails. */
export async function stopTokenOf(app: Pick<TestApp, 'pool'>, id: number, recipient: string): Promise<string> {
  const { stopUrl } = await import('../../src/reports/stopLinks.js');
  const { rows } = await app.pool.query<{ token: string }>('SELECT token FROM report_schedules WHERE id = $1', [id]);
  const url = stopUrl(rows[0] ?? { token: '' }, recipient);
  return url.slice(url.lastIndexOf('/') + 1);
}

/** The token of the link in the latest question to a recipient. */
export async function questionTokenOf(app: TestApp, merchant: Person, recipient: string, after = 0): Promise<string> {
  const { text } = await receives(app, merchant, recipient, 'report_confirmation', after);
  return /\/reporting\/confirm\/([\w-]+)/.exec(text)?.[1] ?? '';
}

/** Presses a button of the page behind the question. */
export const answerQuestion = (
  app: Pick<TestApp, 'address'>,
  token: string,
  answer: string | undefined = 'confirm',
): Promise<Reply<string>> =>
  call<string>(app, 'POST', `/reporting/confirm/${token}`, { answer }, { headers: { Accept: 'text/html' } });

/** The recipients of a schedule agree to its reports. */
export async function agreeToReports(app: TestApp, merchant: Person, recipients: readonly string[]): Promise<void> {
  for (const recipient of recipients) await answerQuestion(app, await questionTokenOf(app, merchant, recipient));
}

/** The state of each recipient of a schedule. */
export async function statesOf(app: TestApp, merchant: Person, id: number): Promise<Record<string, string>> {
  const { body } = await call<Schedule>(app, 'GET', `/reporting/schedules/${id}`, undefined, merchant);
  return Object.fromEntries(body.recipient_states.map(({ address, state }) => [address, state]));
}
