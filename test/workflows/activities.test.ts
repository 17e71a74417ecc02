import type * as Answers from '../../src/subscriptions/charges/answers';
import type * as Charges from '../../src/subscriptions/charges/charges';
import type * as Endings from '../../src/subscriptions/lifecycle/endings';
import type * as Periods from '../../src/subscriptions/lifecycle/periods';
import type * as Lifecycle from '../../src/subscriptions/lifecycle/lifecycle';
import type * as Switches from '../../src/subscriptions/lifecycle/switches';
import { balanceOf, giveCredit } from '../support/balances';
import { findFaults } from '../support/books';
import { type SubscriptionSnapshot } from '../../workflows/messages';
import { cards, createFee, createShop, subscribe, type Shop } from '../support/factories';
import { giveTrial } from '../support/scenarios';
import { readSnapshot } from '../support/snapshot';
import { storeChange } from '../support/storedChanges';
import { startApp, type TestApp } from '../support/startApp';
import { queryBooks } from '../support/providerBooks';

/** Activities run at least once, and sometimes twice at the same time. The effect happens once. */

let app: TestApp;
let answers: typeof Answers;
let charges: typeof Charges;
let lifecycle: typeof Lifecycle;
let endings: typeof Endings;
let periods: typeof Periods;
let switches: typeof Switches;

// No worker runs here: the steps are called by hand.
beforeAll(async () => {
  app = await startApp();
  answers = await import('../../src/subscriptions/charges/answers.js');
  charges = await import('../../src/subscriptions/charges/charges.js');
  lifecycle = await import('../../src/subscriptions/lifecycle/lifecycle.js');
  endings = await import('../../src/subscriptions/lifecycle/endings.js');
  periods = await import('../../src/subscriptions/lifecycle/periods.js');
  switches = await import('../../src/subscriptions/lifecycle/switches.js');
});

afterAll(() => app.stop());

const run = { runId: 'a-run' };
const times = <T>(count: number, step: () => Promise<T>) => Promise.all(Array.from({ length: count }, step));

const submitted = async (number: string) => submittedIn(await createShop(app), number);

async function submittedIn(shop: Shop, number: string): Promise<{ token: string; subscriptionId: number }> {
  const { body } = await subscribe(app, shop, number);
  const token = body.subscription_id;
  const text = 'SELECT id FROM subscriptions WHERE token = $1';
  const { rows } = await app.pool.query<{ id: number }>(text, [token]);
  return { token, subscriptionId: rows[0]?.id ?? 0 };
}

const firstCharge = (subscriptionId: number) => ({ subscriptionId, cycle: 1, attempt: 1 });

test('chargeCycle, 20 times at once: one charge, and each hears that it is paid', async () => {
  const { token, subscriptionId } = await submitted(cards.success);
  const outcomes = await times(20, () => charges.chargeCycle(firstCharge(subscriptionId)));
  expect(outcomes).toEqual(Array.from({ length: 20 }, () => ({ outcome: 'paid' })));
  await lifecycle.activateSubscription(subscriptionId, run);
  expect(await findFaults(app.pool, token)).toEqual([]);
});

test('chargeCycle, 20 times at once: a refusal is the same for all', async () => {
  const { subscriptionId } = await submitted(cards.declined);
  const outcomes = await times(20, () => charges.chargeCycle(firstCharge(subscriptionId)));
  const refusal = { outcome: 'declined', decline: 'soft', reason: 'declined', message: 'Your card was declined.' };
  expect(outcomes).toEqual(Array.from({ length: 20 }, () => refusal));
});

test('subscribe.requires.action: told once, however often the charge is made or looked up', async () => {
  const { token, subscriptionId } = await submitted(cards.needsAuthentication);
  const input = firstCharge(subscriptionId);
  const outcomes = await Promise.all([
    times(20, () => charges.chargeCycle(input)),
    times(20, () => charges.lookUpCharge(input)),
  ]);
  await charges.lookUpCharge(input);
  const known = ['requires_action', 'not_sent', 'unknown'];
  for (const { outcome } of outcomes.flat()) expect(known).toContain(outcome);
  const text = `SELECT type FROM events WHERE dedupe_key LIKE $1`;
  expect((await app.pool.query(text, [`${token}:%`])).rows).toEqual([{ type: 'subscribe.requires.action' }]);
});

test('chargeCycle and lookUpCharge at once, after a lost answer: one charge', async () => {
  const { token, subscriptionId } = await submitted(cards.timeoutAfterCharging);
  const input = firstCharge(subscriptionId);
  await Promise.all([times(10, () => charges.chargeCycle(input)), times(10, () => charges.lookUpCharge(input))]);
  expect(await charges.lookUpCharge(input)).toEqual({ outcome: 'paid' });
  await lifecycle.activateSubscription(subscriptionId, run);
  expect(await findFaults(app.pool, token)).toEqual([]);
});

test('voidCharge and the customer’s approval at once: charged or given up, and all agree on it', async () => {
  const { token, subscriptionId } = await submitted(cards.needsAuthentication);
  const input = firstCharge(subscriptionId);
  await charges.chargeCycle(input);
  const text = 'SELECT reference FROM sandbox_charges WHERE idempotency_key LIKE $1';
  const { rows } = await queryBooks<{ reference: string }>(app.pool, text, [`${token}:%`]);
  const answer = () => answers.answerSandboxAuthentication(rows[0]?.reference ?? '', 'approved', 'a-request');
  const [, outcomes] = await Promise.all([times(5, answer), times(5, () => charges.voidCharge(input))]);
  expect(new Set(outcomes.map(({ outcome }) => outcome)).size).toBe(1);
  if (outcomes[0]?.outcome === 'paid') await lifecycle.activateSubscription(subscriptionId, run);
  else await lifecycle.failSubscription({ subscriptionId, reason: 'authentication_expired', message: 'Late.' }, run);
  expect(await findFaults(app.pool, token)).toEqual([]);
});

test('activateSubscription, 20 times at once: one access, one of each event, one period', async () => {
  const { token, subscriptionId } = await submitted(cards.success);
  await charges.chargeCycle(firstCharge(subscriptionId));
  const periods = await times(20, () => lifecycle.activateSubscription(subscriptionId, run));
  expect(new Set(periods.map(({ periodEndMs }) => periodEndMs)).size).toBe(1);
  expect(await findFaults(app.pool, token)).toEqual([]);
});

test('failSubscription, 20 times at once: one event', async () => {
  const { token, subscriptionId } = await submitted(cards.declined);
  await charges.chargeCycle(firstCharge(subscriptionId));
  const failure = { subscriptionId, reason: 'declined', message: 'Your card was declined.' };
  await times(20, () => lifecycle.failSubscription(failure, run));
  expect(await findFaults(app.pool, token)).toEqual([]);
});

test('endSubscription, 20 times at once: the access ends once, and is told once', async () => {
  const { token, subscriptionId } = await submitted(cards.success);
  await charges.chargeCycle(firstCharge(subscriptionId));
  const { snapshot, periodEndMs } = await lifecycle.activateSubscription(subscriptionId, run);
  const end = {
    subscriptionId,
    version: snapshot?.version ?? 0,
    atMs: periodEndMs,
    to: 'expired',
    reason: '',
  } as const;
  const standings = await times(20, () => endings.endSubscription(end, run));
  for (const { state, version } of standings) expect([state, version]).toEqual(['expired', end.version + 1]);
  expect(await findFaults(app.pool, token)).toEqual([]);
});

test('beginPeriod, 20 times at once: one period, and a balance that pays for it once', async () => {
  const { subscriptionId } = await submitted(cards.success);
  await charges.chargeCycle(firstCharge(subscriptionId));
  const { snapshot, periodEndMs } = await lifecycle.activateSubscription(subscriptionId, run);
  const text = 'SELECT account_id::int AS account FROM subscriptions WHERE id = $1';
  const account = (await app.pool.query<{ account: number }>(text, [subscriptionId])).rows[0]?.account ?? 0;
  await giveCredit(app, account, 1500);
  const step = { subscriptionId, version: snapshot?.version ?? 0, atMs: periodEndMs };
  const begun = await times(20, () => periods.beginPeriod(step, run));
  for (const each of begun) expect(each).toMatchObject({ cycle: 2, dueMinor: 999, version: step.version + 1 });
  const charge = { subscriptionId, cycle: 2, attempt: 1, amountMinor: 999, atMs: periodEndMs };
  await times(20, () => charges.chargeCycle(charge));
  expect(await balanceOf(app, account)).toBe(501);
});

test('chargeNextPeriod: a change that was requested until the end of the period comes first, a later one does not', async () => {
  const { token, subscriptionId } = await submitted(cards.success);
  await charges.chargeCycle(firstCharge(subscriptionId));
  const { snapshot, periodEndMs: dueAtMs } = await lifecycle.activateSubscription(subscriptionId, run);
  const step = { subscriptionId, version: snapshot.version, atMs: dueAtMs + 1, dueAtMs };
  const cancel = { kind: 'cancel', at: 'period_end', reason: '' } as const;

  await storeChange(token, cancel, dueAtMs);
  expect(await lifecycle.chargeNextPeriod(step, run)).toEqual({
    requests: [expect.objectContaining({ ...cancel, atMs: dueAtMs }) as object],
  });
  expect(await readSnapshot(subscriptionId)).toEqual(snapshot);

  await app.pool.query(`UPDATE subscriptions SET requests = '[]' WHERE id = $1`, [subscriptionId]);
  await storeChange(token, cancel, dueAtMs + 1);
  const charged = await lifecycle.chargeNextPeriod(step, run);
  expect(charged).toMatchObject({ snapshot: { cycle: 2 }, outcome: { outcome: 'paid' } });
  expect(await lifecycle.chargeNextPeriod(step, run)).toEqual(charged);
});

test('a step that is asked for again after later ones: the answer that it had, and nothing happens twice', async () => {
  const { token, subscriptionId } = await submitted(cards.success);
  await charges.chargeCycle(firstCharge(subscriptionId));
  const activate = () => lifecycle.activateSubscription(subscriptionId, run);
  const { snapshot, periodEndMs: atMs } = await activate();
  const stepAfter = (before?: SubscriptionSnapshot) => ({ subscriptionId, version: before?.version ?? 0, atMs });
  const begun = await periods.beginPeriod(stepAfter(snapshot), run);
  await charges.chargeCycle({ subscriptionId, cycle: 2, attempt: 1, amountMinor: begun.dueMinor, atMs });
  const renewed = await periods.renewSubscription(stepAfter(begun), run);
  const next = await periods.beginPeriod({ ...stepAfter(renewed), atMs: renewed.periodEndMs }, run);

  expect(await activate()).toEqual({ snapshot, periodEndMs: atMs });
  expect(await periods.beginPeriod(stepAfter(snapshot), run)).toEqual(begun);
  expect(await periods.renewSubscription(stepAfter(begun), run)).toEqual(renewed);
  expect(await readSnapshot(subscriptionId)).toEqual(next);
  expect([renewed.cycle, next.cycle]).toEqual([2, 3]);
  expect(
    await findFaults(app.pool, token, {
      charged: 2,
      events: ['access.granted', 'subscribe.success', 'subscribe.renewed'],
    }),
  ).toEqual([]);
});

test('activateSubscription, asked for by a run that did not begin it: the subscription as it stands now', async () => {
  const { subscriptionId } = await submitted(cards.success);
  await charges.chargeCycle(firstCharge(subscriptionId));
  const { snapshot, periodEndMs: atMs } = await lifecycle.activateSubscription(subscriptionId, run);
  const next = await periods.beginPeriod({ subscriptionId, version: snapshot?.version ?? 0, atMs }, run);
  const other = { runId: 'another-run' };
  expect((await lifecycle.activateSubscription(subscriptionId, other)).snapshot).toEqual(next);
  expect((await lifecycle.activateSubscription(subscriptionId, run)).snapshot).toEqual(snapshot);
});

test('startTrial, asked for again after it has converted: the trial as it began', async () => {
  const shop = await createShop(app);
  await giveTrial(app, shop.fee.id, [7, 'day']);
  const { subscriptionId } = await submittedIn(shop, cards.success);
  const opened = await lifecycle.startTrial(subscriptionId, run);
  if (!('snapshot' in opened)) throw new Error(opened.refused.message);
  const step = { subscriptionId, version: opened.snapshot.version, atMs: opened.periodEndMs };
  expect((await periods.beginPeriod(step, run)).state).toBe('active');
  expect(await lifecycle.startTrial(subscriptionId, run)).toEqual(opened);
  expect(opened.snapshot.state).toBe('trialing');
});

test('activateSubscription and failSubscription at once: one of them, never both', async () => {
  const { token, subscriptionId } = await submitted(cards.success);
  await charges.chargeCycle(firstCharge(subscriptionId));
  const failure = { subscriptionId, reason: 'declined', message: 'Your card was declined.' };
  await Promise.all([
    times(10, () => lifecycle.activateSubscription(subscriptionId, run)),
    times(10, () => lifecycle.failSubscription(failure, run)),
  ]);
  const text = `SELECT type FROM events WHERE dedupe_key IN ($1, $2)`;
  expect((await app.pool.query(text, [`${token}:success`, `${token}:failed`])).rows).toHaveLength(1);
});

test('priceSwitch, asked for again after another change: what cost nothing costs nothing', async () => {
  const shop = await createShop(app);
  const { subscriptionId } = await submittedIn(shop, cards.success);
  await charges.chargeCycle(firstCharge(subscriptionId));
  const { snapshot } = await lifecycle.activateSubscription(subscriptionId, run);
  const feeOf = async (amount: string) => (await createFee(app, shop.merchant, shop.item.id, { amount })).id;
  const [same, cheaper] = [await feeOf('9.99'), await feeOf('4.99')];
  const change = (accessFeeId: number, before?: SubscriptionSnapshot) =>
    ({ subscriptionId, version: before?.version ?? 0, atMs: Date.now(), accessFeeId, mode: 'now' }) as const;
  const first = change(same, snapshot);
  expect(await switches.priceSwitch(first)).toMatchObject({ amountMinor: 0 });
  const switched = await switches.switchPlan(first, run);
  const second = change(cheaper, switched);
  expect(await switches.priceSwitch(second)).toMatchObject({ amountMinor: 0 });
  await switches.switchPlan(second, run);
  expect(await switches.priceSwitch(first)).toMatchObject({ amountMinor: 0 });
  expect(await switches.switchPlan(first, run)).toEqual(switched);
});

test('chargeCycle with the most that may be charged: a debt that comes before it counts, and no charge is opened', async () => {
  const shop = await createShop(app);
  const { token, subscriptionId } = await submittedIn(shop, cards.success);
  await charges.chargeCycle(firstCharge(subscriptionId));
  await lifecycle.activateSubscription(subscriptionId, run);
  await giveCredit(app, shop.consumer.id, -1);
  const next = { subscriptionId, cycle: 2, attempt: 1, amountMinor: 1000, mustSettle: true, maxMinor: 1000 } as const;
  for (const ask of [charges.chargeCycle, charges.lookUpCharge, charges.voidCharge])
    expect(await ask(next)).toMatchObject({ outcome: 'declined', reason: 'price_changed', dearerMinor: 1001 });
  expect([await balanceOf(app, shop.consumer.id), await findFaults(app.pool, token)]).toEqual([-1, []]);
  const { rows } = await app.pool.query('SELECT FROM charges WHERE subscription_id = $1', [subscriptionId]);
  expect(rows).toHaveLength(1);
  expect(await charges.chargeCycle({ ...next, maxMinor: 1001 })).toEqual({ outcome: 'paid' });
  // A charge that exists is not compared again, because it may have reached the provider.
  expect(await charges.chargeCycle(next)).toEqual({ outcome: 'paid' });
});

test('a purchase whose row was lost with a restore: its first step ends the run, and is not tried again', async () => {
  const { RowBehindError } = await import('../../src/subscriptions/restorations.js');
  const known = await submitted(cards.success);
  const input = { reason: 'declined', message: '' };
  const lost = 2_000_000_000;
  const stranger = { ...run, workflowId: 'subscription-of-another-token' };
  for (const [id, by] of [
    [lost, run],
    [known.subscriptionId, stranger],
  ] as const) {
    const steps = [
      () => lifecycle.activateSubscription(id, by),
      () => lifecycle.startTrial(id, by),
      () => lifecycle.failSubscription({ subscriptionId: id, ...input }, by),
    ];
    for (const step of steps) {
      const failure = await step().catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(RowBehindError);
      expect(failure).toMatchObject({ isGone: true });
    }
  }
});

test('a row behind its run, while the alarm cannot be recorded: the activity is retried, and no text of the database is passed on', async () => {
  const { RowBehindError } = await import('../../src/subscriptions/restorations.js');
  const { withFailures } = await import('../../activities/failure.js');
  const run = { subscriptionId: 2_000_000_000, version: 2, workflowId: 'subscription-gone' };
  const { find } = withFailures({ find: () => Promise.reject(new RowBehindError(run, undefined)) });
  await app.pool.query('ALTER TABLE rows_behind RENAME TO rows_behind_away');
  const failureOf = () =>
    find().then(
      () => undefined,
      (error: unknown) => error as { message: string },
    );
  const failure = await failureOf();
  await app.pool.query('ALTER TABLE rows_behind_away RENAME TO rows_behind');
  expect(failure).not.toMatchObject({ nonRetryable: true });
  expect(failure?.message).not.toContain('rows_behind');
  expect(await failureOf()).toMatchObject({ nonRetryable: true, type: 'RowBehind' });
});
