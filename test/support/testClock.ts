import { type Client, type WorkflowHandle } from '@temporalio/client';
import { call } from './client';
import { type Person, reaches, type Shop } from './factories';
import { type TestApp } from './startApp';
import { until } from './until';

interface Clock {
  now: number;
  time: string;
  ahead: number;
}

/** Moves a merchant's time ahead by days, and returns it. */
export async function passDays(app: Pick<TestApp, 'address'>, merchant: Person, days: number): Promise<Clock> {
  const { body } = await call<Clock>(app, 'POST', '/test-clock', { advance: Math.round(days * 86_400) }, merchant);
  return body;
}

/** The paid time of a subscription passes, and its renewals are not paid. */
export async function failToRenew(
  app: Pick<TestApp, 'address'>,
  { merchant, consumer }: Pick<Shop, 'merchant' | 'consumer'>,
  id: string,
): Promise<void> {
  const { current_period_end: endsAt } = await reaches(app, consumer, id, 'active');
  await passDays(app, merchant, (endsAt - Date.now() / 1000) / 86_400 + 0.1);
  await reaches(app, consumer, id, 'past_due');
}

interface Described {
  state: string;
  merchantTime: string;
  waiting: number;
  doing?: string;
  next?: { what: string; at: string };
}

/**
 * Whether a run has processed all its messages. False while no worker answers, and if the answer comes from a run that has
 * ended with a new one: it has passed its messages on.
 */
export const isIdle = (run: WorkflowHandle): Promise<boolean> =>
  run.query<Described>('snapshot').then(
    ({ waiting, doing }) => waiting === 0 && doing === undefined,
    () => false,
  );

/** Waits until a subscription has taken all steps that are due by its merchant's clock. */
export function catchesUp(client: Client, token: string, { time }: Pick<Clock, 'time'>): Promise<Described> {
  const handle = client.workflow.getHandle(`subscription-${token}`);
  return until(async () => {
    // Unknown while no worker answers.
    const seen = await handle.query<Described>('snapshot').catch(() => undefined);
    if (!seen) return undefined;
    if (['canceled', 'expired', 'revoked'].includes(seen.state) && (await handle.describe()).status.name !== 'RUNNING')
      return seen;
    const isThere = seen.merchantTime >= time && seen.state !== 'incomplete';
    const isQuiet = seen.waiting === 0 && seen.doing === undefined && (seen.next?.at ?? '9') > seen.merchantTime;
    return isThere && isQuiet && seen;
  });
}
