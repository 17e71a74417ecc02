import { nextTimer } from '../../src/billing/schedule';
import { type PeriodLength } from '../../src/billing/periods';
import { type Lifetime } from './lifetime';
import { type LedgerEntry } from './simulatedProvider';
import { toSnapshot, type Row, type RowState, type Step } from './simulatedRow';

/**
 * What must hold in every lifetime. The rules compare the provider's ledger with the history of the subscription, and use
 * a calendar of their own.
 */

const dayMs = 86_400_000;
const hourMs = 3_600_000;

export type Rule = (lifetime: Lifetime) => string[];

/** The broken rules of a lifetime, each with what shows it. */
export function findViolations(lifetime: Lifetime): string[] {
  return Object.entries(rules).flatMap(([name, rule]) => rule(lifetime).map((what) => `${name}: ${what}`));
}

const rules: Record<string, Rule> = {
  'one payment for each cycle': ({ provider }) => {
    const paid = Map.groupBy(provider.ledger.filter(isKept), ({ key }) => key.split(':')[0]);
    return [...paid].filter(([, entries]) => entries.length > 1).map(([cycle]) => `cycle ${cycle} is paid twice`);
  },

  'every payment is recorded': ({ charges, history: { row }, provider, temporal }) =>
    provider.ledger
      .filter((entry) => isKept(entry) && temporal.nowMs - entry.createdMs > 2 * dayMs)
      .filter(({ key }) => {
        const charge = charges.all.find((one) => one.key === key);
        // The outcome of a pending authentication is looked up at the next attempt.
        const isAwaited = charge?.status === 'requires_action' && charge.cycle === row.cycle;
        return !charge?.isRecorded && !isAwaited;
      })
      .map(({ key }) => `the payment ${key} is not recorded`),

  'a payment has the price of its period': ({ charges, history }) =>
    history.steps
      .filter(({ reason }) => reason === 'paid' || reason === 'recovered')
      .filter(({ before }) => {
        const charge = charges.all.find((one) => one.cycle === before.cycle && one.isRecorded && !one.reversed);
        return charge !== undefined && charge.amountMinor + charge.takenMinor !== before.dueMinor;
      })
      .map(({ before }) => `cycle ${before.cycle} was due with ${before.dueMinor}`),

  'periods follow the calendar': ({ history }) =>
    history.steps.flatMap(({ after, reason }) => {
      const expected = endOf(after.anchorMs, after.periodNo, after.plan);
      const isChecked = ['the period begins', 'first payment'].includes(reason);
      return isChecked && after.periodEndMs !== expected
        ? [`a period ends ${iso(after.periodEndMs)} and not ${iso(expected)}`]
        : [];
    }),

  'periods follow each other': ({ history }) =>
    beginnings(history.steps)
      .filter(({ before, after, atMs }) => after.periodStartMs !== before.periodEndMs || atMs < before.periodEndMs)
      .map(({ after }) => `the period of cycle ${after.cycle} begins ${iso(after.periodStartMs)}`),

  'no period begins unpaid or unwanted': ({ history }) =>
    beginnings(history.steps)
      .filter(({ before }) => before.dueMinor > 0 || !before.autoRenew || before.pausesAtPeriodEnd)
      .map(({ after }) => `cycle ${after.cycle} begins`),

  'no retry comes before its day': (lifetime) =>
    lifetime.history.steps
      .filter((step) => step.reason.startsWith('declined') && step.before.dunning !== undefined)
      .filter((step) => step.requestId === undefined && isBeforePlan(step) && !isRequested(lifetime, step))
      .map(({ atMs }) => `a retry comes ${iso(atMs)}`),

  'a wait for the provider is no decline': ({ charges, history }) =>
    history.steps
      .filter(({ reason, before }) => reason.startsWith('declined') && before.deferral !== undefined)
      .filter(({ after }) => {
        const charge = chargeOf(charges, after);
        // The payer is the cause if the charge needed an authentication, also if it is given up later.
        return charge?.status === 'declined' && charge.askedMs === 0 && !payerReasons.has(charge.decline.reason);
      })
      .map(({ atMs }) => `a deferred charge counts as declined ${iso(atMs)}`),

  'retries are limited': ({ history }) => {
    const declines = Map.groupBy(
      history.steps.filter(({ reason, requestId }) => reason.startsWith('declined') && requestId === undefined),
      ({ before }) => before.cycle,
    );
    const most = (1 + (history.row.retryDays.length + 1) * 7) * 2;
    return [...declines].filter(([, steps]) => steps.length > most).map(([cycle]) => `cycle ${cycle}`);
  },

  'states change as documented': ({ history }) =>
    history.steps
      .filter(({ before, after }) => before.state !== after.state && !changes[before.state].includes(after.state))
      .map(({ before, after }) => `${before.state} becomes ${after.state}`),

  'nothing is charged after the end': ({ history, provider }) => {
    const end = history.isOver ? history.steps.at(-1) : undefined;
    return provider.ledger
      .filter(({ createdMs }) => end !== undefined && createdMs > end.nowMs)
      .map(({ key }) => `the charge ${key} comes after the end`);
  },

  'an erased account is not charged': ({ provider, erasedMs = Infinity }) =>
    provider.ledger.filter(({ createdMs }) => createdMs > erasedMs).map(({ key }) => `the charge ${key}`),

  'an answered change is in the history': ({ history, requests }) =>
    requests
      .filter(({ input, answers }) => input.kind !== 'giveUp' && answers.some(({ answer }) => isDone(answer)))
      .filter(({ input }) => !history.steps.some(({ requestId }) => requestId === input.id))
      .map(({ input }) => `${input.id} was answered and not carried out`),

  'a revocation takes effect': (lifetime) =>
    lifetime.revocations
      .filter(({ id, sentMs }) => isProcessed(lifetime, sentMs) && !isClosed(lifetime, sentMs, id))
      .map(({ id }) => id),

  'a stored change comes before a later step': (lifetime) =>
    lifetime.history.steps.flatMap((step) => {
      const { reason, stored, before, requestId, changeId, atMs, nowMs } = step;
      const due = requestId === undefined && changeId === undefined ? dueStep(before, reason, atMs) : undefined;
      // A run that has read the stored changes may wait a day for a worker before its step.
      const isRead = ({ id }: { id: string }) => nowMs - (lifetime.history.storedMs.get(id) ?? 0) > dayMs + hourMs;
      const isOwn = ({ kind }: { kind: string }) => charging.has(kind) && isContinued(lifetime, step);
      const earlier = stored.filter((one) => due !== undefined && one.atMs <= due.atMs && isRead(one) && !isOwn(one));
      return earlier.map(({ id }) => `"${reason}" comes before ${id}`);
    }),

  'an extension takes effect once': ({ history, requests }) =>
    requests
      .filter(({ input, answers }) => input.kind === 'extend' && answers.some(({ answer }) => isDone(answer)))
      .map(({ input }) => [input.id, history.steps.filter((step) => isExtension(step, input.id)).length] as const)
      .filter(([, times]) => times !== 1)
      .map(([id, times]) => `${id} took effect ${times} times`),

  // A request that is refused at the door is not a message yet: later the state may allow it.
  'a repeated request has one answer': ({ requests }) =>
    requests
      .map(({ input, answers }) => ({ input, answers: answers.filter(({ answer }) => 'done' in answer) }))
      .filter(({ answers }) => new Set(answers.map(({ answer }) => JSON.stringify(answer))).size > 1)
      .filter(({ answers }) => new Set(answers.map(({ run }) => run)).size === 1)
      .map(({ input }) => input.id),

  'nothing stays due': (lifetime) => {
    const { history, temporal } = lifetime;
    const dueMs = history.row.state === 'incomplete' ? lifetime.scenario.startMs : history.nextDueMs();
    if (history.isOver || dueMs === undefined || history.row.state === 'revoked') return [];
    const lateMs = lifetime.merchantNowMs() - dueMs;
    const isStuck = !temporal.isRunning || lateMs > patienceMs(lifetime);
    return isStuck ? [`${history.row.state} is ${Math.round(lateMs / hourMs)} hours late`] : [];
  },
};

/**
 * A bank decides on a direct debit within days, and a first payment waits a day for its payer. The provider is asked about a
 * direct debit once a day in real time, which a test clock does not move.
 */
function patienceMs({ charges, history: { row }, scenario }: Lifetime): number {
  const isProcessing = row.processingMs !== undefined || charges.all.some(({ status }) => status === 'processing');
  if (isProcessing) return scenario.hasTestClock ? Infinity : 7 * dayMs;
  return row.state === 'incomplete' ? 26 * hourMs : 2 * hourMs;
}

const isKept = ({ state, refunded, reversed, isGivenUp }: LedgerEntry) =>
  state === 'paid' && !refunded && !reversed && !isGivenUp;

/** The longest time that a run is busy with a charge before it processes a message. */
const busyMs = 4 * dayMs;

/** Whether the run must have processed a message. It is lost with Temporal's store before that. */
const isProcessed = ({ temporal, lossesMs }: Lifetime, sentMs: number): boolean =>
  temporal.nowMs > sentMs + busyMs && !lossesMs.some((lostMs) => lostMs >= sentMs && lostMs < sentMs + busyMs);

/** Whether a notice has taken effect, or the subscription had not begun, had ended or was revoked already. */
function isClosed({ history: { row, steps } }: Lifetime, sentMs: number, id: string): boolean {
  if (steps.some(({ changeId }) => changeId === id)) return true;
  const later = steps.filter(({ nowMs }) => nowMs >= sentMs);
  const soon = later.filter(({ nowMs }) => nowMs < sentMs + busyMs);
  return [later[0]?.before ?? row, ...soon.map(({ after }) => after)].some(({ state }) => !openStates.has(state));
}

const openStates: ReadonlySet<RowState> = new Set(['trialing', 'active', 'past_due', 'on_hold', 'paused']);

/** The changes that charge an open amount. */
const charging: ReadonlySet<string> = new Set(['retry', 'useCard']);

/** Whether the step records a charge of a lost run, which may have begun it for a stored change. */
const isContinued = ({ charges, lossesMs }: Lifetime, { reason, after, nowMs }: Step): boolean => {
  const { openedMs = Infinity } = chargeOf(charges, after) ?? {};
  return reason.startsWith('declined') && lossesMs.some((lostMs) => openedMs <= lostMs && lostMs <= nowMs);
};

const chargeOf = ({ all }: Lifetime['charges'], { cycle, attempt }: Row) =>
  all.find((charge) => charge.cycle === cycle && charge.attempt === attempt);

/** The step that was due, if the reason is one of it. A charge that was begun before the due time is continued first. */
function dueStep(before: Row, reason: string, atMs: number) {
  const due = before.version > 0 ? nextTimer(toSnapshot(before)) : undefined;
  return due && due.atMs <= atMs && reasons[due.what]?.test(reason) ? due : undefined;
}

const reasons: Partial<Record<string, RegExp>> = {
  renew: /^the period begins$/,
  retry: /^declined/,
  remind: /^reminded/,
  hold: /^grace is over$/,
  expire: /^not paid$/,
  end: /^canceled before$/,
  pause: /^paused$/,
  resume: /^resumption requested$/,
};

const beginnings = (steps: readonly Step[]) => steps.filter(({ reason }) => reason === 'the period begins');

const isExtension = ({ reason, requestId }: Step, id: string) => reason === 'extended' && requestId === id;

const isDone = (answer: object) => 'done' in answer && answer.done === true;

/** The retry was neither on a retry day nor an hour after a decline of the kind "later". */
function isBeforePlan({ atMs, before: { dunning } }: Step): boolean {
  return dunning?.nextRetryMs === undefined || atMs < dunning.nextRetryMs;
}

/** A new card charges at once, with a step of its own before, and a fault at the provider has retries of its own. */
function isRequested({ history, lossesMs }: Lifetime, step: Step): boolean {
  const index = history.steps.indexOf(step);
  const previous = history.steps[index - 1];
  const isCard = previous?.reason === 'new card';
  const isLost = lossesMs.some((lostMs) => lostMs <= step.nowMs && lostMs > (previous?.nowMs ?? 0));
  return isCard || isLost || step.before.deferral !== undefined || step.before.processingMs !== undefined;
}

/** The documented changes of the state. */
const changes: Record<RowState, readonly RowState[]> = {
  incomplete: ['active', 'trialing', 'incomplete_expired'],
  incomplete_expired: [],
  trialing: ['active', 'canceled', 'expired', 'revoked', 'paused'],
  active: ['past_due', 'on_hold', 'paused', 'canceled', 'expired', 'revoked'],
  past_due: ['active', 'on_hold', 'canceled', 'expired', 'revoked'],
  on_hold: ['active', 'canceled', 'expired', 'revoked'],
  paused: ['active', 'canceled', 'revoked'],
  canceled: [],
  expired: [],
  revoked: ['trialing', 'active', 'past_due', 'on_hold', 'paused'],
};

/** The reasons for which a payer can be dunned. */
const payerReasons: ReadonlySet<string> = new Set(['declined', 'account_erased']);

const iso = (atMs: number) => new Date(atMs).toISOString();

/** The end of the period n after an anchor, computed from the digits of its date. */
function endOf(anchorMs: number, n: number, { quantity, period }: PeriodLength): number {
  const fixedMs = { hour: hourMs, day: dayMs, week: 7 * dayMs };
  if (period !== 'month' && period !== 'year') return anchorMs + n * quantity * fixedMs[period];
  const [date = '', time = ''] = iso(anchorMs).split('T');
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
  const months = year * 12 + (month - 1) + n * quantity * (period === 'year' ? 12 : 1);
  const endYear = Math.floor(months / 12);
  const endMonth = (months % 12) + 1;
  const isLeap = (endYear % 4 === 0 && endYear % 100 !== 0) || endYear % 400 === 0;
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][endMonth - 1] ?? 31;
  const pad = (value: number, width: number) => String(value).padStart(width, '0');
  return Date.parse(`${pad(endYear, 4)}-${pad(endMonth, 2)}-${pad(Math.min(day, days), 2)}T${time}`);
}
