import { type Client, type WorkflowHandle } from '@temporalio/client';
import { call } from './client';
import { type Person, reaches, type Shop, type SubscriptionRow } from './factories';
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

/** Moves a merchant's time to so many days after the end of a subscription's present period. */
export async function passPeriod(
  app: Pick<TestApp, 'address'>,
  { merchant, consumer }: Pick<Shop, 'merchant' | 'consumer'>,
  id: string,
  daysLater: number,
): Promise<Clock> {
  const path = `/subscriptions/${id}`;
  const { body: row } = await call<SubscriptionRow>(app, 'GET', path, undefined, consumer);
  const { body: clock } = await call<Clock>(app, 'GET', '/test-clock', undefined, merchant);
  return passDays(app, merchant, (row.current_period_end - clock.now) / 86_400 + daysLater);
}

/** The paid time of a subscription passes, and its renewals are not paid. */
export async function failToRenew(
  app: Pick<TestApp, 'address'>,
  shop: Pick<Shop, 'merchant' | 'consumer'>,
  id: string,
): Promise<void> {
  await reaches(app, shop.consumer, id, 'active');
  await passPeriod(app, shop, id, 0.1);
  await reaches(app, shop.consumer, id, 'past_due');
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
