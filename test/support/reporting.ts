import type * as Charges from '../../src/subscriptions/charges/charges';
import type * as Dunning from '../../src/subscriptions/lifecycle/dunning';
import type * as Endings from '../../src/subscriptions/lifecycle/endings';
import type * as Periods from '../../src/subscriptions/lifecycle/periods';
import type * as Lifecycle from '../../src/subscriptions/lifecycle/lifecycle';
import type * as Switches from '../../src/subscriptions/lifecycle/switches';
import { type SubscriptionSnapshot } from '../../workflows/messages';
import { call } from './client';
import { purchase, type Shop, type Submitted } from './factories';
import { readSnapshot } from './snapshot';
import { type TestApp } from './startApp';

/** The steps that a subscription's workflow can take, by name. `possible` says which of them a state allows. */
export const possible = {
  incomplete: ['begin', 'begin', 'refuse'],
  trialing: ['nextPeriod', 'cancel', 'revoke'],
  active: ['rebill', 'lapse', 'switch', 'pause', 'cancel', 'revoke'],
  past_due: ['renew', 'hold', 'fail', 'cancel', 'revoke'],
  on_hold: ['renew', 'expire', 'cancel'],
  paused: ['resume', 'cancel'],
  revoked: ['restore'],
  canceled: [],
  expired: [],
  incomplete_expired: [],
} as const satisfies Record<string, readonly string[]>;
export type Deed = (typeof possible)[keyof typeof possible][number];

export interface StoryRow {
  id: number;
  state: keyof typeof possible;
  price: number;
  period: string;
  charges: number;
  percent: number | null;
}

/** The monthly revenue of a subscription, by its row. The plans of these tests cost whole cents a month. */
export function worth({ state, price, period, charges, percent }: StoryRow): number {
  if (!['active', 'past_due'].includes(state) || charges === 0) return 0;
  const paid = percent !== null && charges === 1 ? (price * (100 - percent)) / 100 : price;
  return period === 'year' ? paid / 12 : paid;
}

/** A subscription whose steps are taken by hand, each at a time of its own: no worker runs. */
export interface Story {
  id: number;
  token: string;
  row: () => Promise<StoryRow>;
  take: (deed: Deed, atMs: number, accessFeeId: number) => Promise<void>;
}

interface Steps {
  charges: typeof Charges;
  dunning: typeof Dunning;
  endings: typeof Endings;
  lifecycle: typeof Lifecycle;
  periods: typeof Periods;
  switches: typeof Switches;
}

async function importSteps(): Promise<Steps> {
  return {
    charges: await import('../../src/subscriptions/charges/charges.js'),
    dunning: await import('../../src/subscriptions/lifecycle/dunning.js'),
    endings: await import('../../src/subscriptions/lifecycle/endings.js'),
    lifecycle: await import('../../src/subscriptions/lifecycle/lifecycle.js'),
    periods: await import('../../src/subscriptions/lifecycle/periods.js'),
    switches: await import('../../src/subscriptions/lifecycle/switches.js'),
  };
}

const run = { runId: 'by-hand' };

export async function startStory(
  app: TestApp,
  shop: Shop,
  { number, code }: { number?: string; code?: string } = {},
): Promise<Story> {
  const steps = await importSteps();
  const fields = { ...purchase(shop, number), ...(code !== undefined && { voucher_code: code }) };
  const { body } = await call<Submitted>(app, 'POST', '/subscriptions', fields, shop.consumer);
  const { subscription_id: token } = body;
  const row = async () => {
    const { rows } = await app.pool.query<StoryRow>(
      `SELECT id, state, price_minor::int AS price, period, discount_cycle AS charges, discount_percent AS percent
       FROM subscriptions WHERE token = $1`,
      [token],
    );
    const [found] = rows;
    if (!found) throw new Error(`no subscription: ${JSON.stringify(body)}`);
    return found;
  };
  const { id } = await row();
  return { id, token, row, take: (deed, atMs, feeId) => take(app, steps, id, deed, atMs, feeId) };
}

async function take(
  app: Pick<TestApp, 'pool'>,
  steps: Steps,
  id: number,
  deed: Deed,
  atMs: number,
  accessFeeId: number,
): Promise<void> {
  const { charges, dunning, endings, lifecycle, periods, switches } = steps;
  if (deed === 'refuse')
    return lifecycle.failSubscription({ subscriptionId: id, reason: 'declined', message: '' }, run);
  if (deed === 'begin') {
    await charges.chargeCycle({ subscriptionId: id, cycle: 1, attempt: 1, atMs });
    return void (await lifecycle.activateSubscription(id, run));
  }
  const snapshot = await readSnapshot(id);
  const input = { subscriptionId: id, version: snapshot.version, atMs };
  const after = (before: SubscriptionSnapshot) => ({ ...input, version: before.version });
  const renew = async (due: SubscriptionSnapshot, attempt = 1) => {
    const charge = { subscriptionId: id, cycle: due.cycle, attempt, amountMinor: due.dueMinor, atMs };
    if (!(await isPaid(app, id, due.cycle))) await charges.chargeCycle(charge);
    return periods.renewSubscription(after(due), run);
  };
  const declined = { attempt: snapshot.attempt, reason: 'declined', message: 'No.', decline: 'soft' } as const;
  const deeds: Record<Exclude<Deed, 'begin' | 'refuse'>, () => Promise<unknown>> = {
    nextPeriod: () => periods.beginPeriod(input, run),
    renew: () => renew(snapshot, snapshot.attempt + 1),
    fail: () => dunning.failRenewal({ ...input, ...declined }, run),
    hold: () => dunning.holdSubscription(input, run),
    rebill: async () => renew(await periods.beginPeriod(input, run)),
    lapse: async () => dunning.failRenewal({ ...after(await periods.beginPeriod(input, run)), ...declined }, run),
    switch: () => switches.switchPlan({ ...input, accessFeeId, mode: 'reset' }, run),
    pause: () => periods.pauseSubscription(input, run),
    resume: async () => renew(await periods.priceResumption(input, run)),
    cancel: () => endings.endSubscription({ ...input, to: 'canceled', reason: 'canceled' }, run),
    expire: () => endings.expireSubscription(input, run),
    revoke: () => endings.endSubscription({ ...input, to: 'revoked', reason: 'chargeback' }, run),
    restore: () => endings.restoreSubscription(input, run),
  };
  await deeds[deed]();
}

/** A test can write a charge that the provider does not know. */
async function isPaid({ pool }: Pick<TestApp, 'pool'>, id: number, cycle: number): Promise<boolean> {
  const text = `SELECT FROM charges WHERE subscription_id = $1 AND cycle = $2 AND status = 'paid'`;
  return (await pool.query(text, [id, cycle])).rowCount === 1;
}

const dayMs = 86_400_000;
/** The day that is so many days ahead, as reports write it. */
export const dayAhead = (days: number, fromMs = Date.now()) =>
  new Date(fromMs + days * dayMs).toISOString().slice(0, 10);

/** Takes a subscription's steps one after another, each so many days from now. */
export async function live(story: Story, deeds: readonly (readonly [Deed, number])[], accessFeeId = 0): Promise<void> {
  const startMs = Date.now();
  for (const [deed, days] of deeds) await story.take(deed, startMs + days * dayMs, accessFeeId);
}

export async function beginTrial(story: Story): Promise<void> {
  const { startTrial } = await import('../../src/subscriptions/lifecycle/lifecycle.js');
  await startTrial(story.id, run);
}
