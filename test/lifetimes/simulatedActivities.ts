import { type Activities } from '../../activities';
import { afterRetry, beginDunning, withNewCard, type Dunning } from '../../src/billing/dunning';
import { periodEnd } from '../../src/billing/periods';
import { quoteSwitch, type SwitchQuote } from '../../src/billing/proration';
import { switchedTrialEnd, trialEnd } from '../../src/billing/trials';
import {
  type ChargeInput,
  type EndInput,
  type RunStart,
  type StepInput,
  type SwitchInput,
} from '../../workflows/messages';
import { type SimulatedCharges } from './simulatedCharges';
import { toSnapshot, type Plan, type Row, type RowHistory } from './simulatedRow';
import { stepsOn } from './simulatedSteps';

/**
 * The activities of a subscription on the simulated row and charges. They follow the rules of `src/subscriptions/lifecycle`
 * without access, mails and events.
 */

type Names =
  | 'chargeCycle'
  | 'chargeFirstPeriod'
  | 'chargeNextPeriod'
  | 'lookUpCharge'
  | 'voidCharge'
  | 'activateSubscription'
  | 'startTrial'
  | 'failSubscription'
  | 'readSubscription'
  | 'checkRow'
  | 'readRequests'
  | 'closeRequest'
  | 'owesDebt'
  | 'renewSubscription'
  | 'failRenewal'
  | 'awaitDebit'
  | 'failFirstDebit'
  | 'returnDebit'
  | 'deferRenewal'
  | 'holdSubscription'
  | 'remind'
  | 'turnRenewal'
  | 'endSubscription'
  | 'expireSubscription'
  | 'restoreSubscription'
  | 'planPause'
  | 'pauseSubscription'
  | 'extendPeriod'
  | 'priceResumption'
  | 'priceSwitch'
  | 'switchPlan'
  | 'refuseChange'
  | 'changeCard';

/** The same signatures as the real activities, but synchronous. */
export type SimulatedActivities = {
  [Name in Names]: (...args: Parameters<Activities[Name]>) => Awaited<ReturnType<Activities[Name]>>;
};

export interface Shop {
  plans: readonly Plan[];
  setupFeeMinor: number;
  currency: string;
  isDebit: boolean;
  clock: () => { aheadMs: number; jumpedToMs: number };
  merchantNowMs: () => number;
  isErased: () => boolean;
  /** The number of the present execution of the activity, counted from 1. */
  tryNo: () => number;
}

const dayMs = 86_400_000;
const noDunning = { dunning: undefined, processingMs: undefined, deferral: undefined };
const nothingPlanned = { pausesAtPeriodEnd: false, resumesAtMs: undefined, pendingPlan: undefined };

export function simulateActivities(history: RowHistory, charges: SimulatedCharges, shop: Shop): SimulatedActivities {
  const { row } = history;

  const { take, refuseAhead, refuseOutOfSync } = stepsOn(history);

  const chargeOf = (input: ChargeInput) => {
    if ('subscriptionId' in input) refuseOutOfSync(input);
    return charges.charge(input, shop.tryNo());
  };

  const opened = () => ({ periodEndMs: row.periodEndMs, snapshot: toSnapshot(row) });
  const nextCharge = (plan = row.plan) => plan.priceMinor + (row.paidCharges === 0 ? shop.setupFeeMinor : 0);
  const plan = (id: number): Plan => {
    const found = shop.plans.find((one) => one.id === id);
    if (!found) throw new Error(`there is no plan ${id}`);
    return found;
  };

  function activate(): void {
    const charge = charges.findPaid(1, ['paid', 'processing']);
    if (!charge) throw new Error('nothing pays the first period');
    const startMs = charge.settledMs;
    const paid =
      charge.status === 'processing'
        ? { dueMinor: charge.amountMinor + charge.takenMinor, processingMs: startMs }
        : { paidCharges: 1, paidMinor: row.plan.priceMinor, paidFromMs: startMs };
    if (charge.status === 'paid') charge.isRecorded = true;
    history.change(
      { state: 'active', cycle: 1, ...periodFrom(startMs), ...paid },
      { reason: 'first payment', atMs: startMs },
    );
  }

  const periodFrom = (startMs: number, of: Plan = row.plan) => ({
    anchorMs: startMs,
    periodNo: 1,
    periodStartMs: startMs,
    periodEndMs: periodEnd(new Date(startMs), 1, of).getTime(),
  });

  function begin(input: StepInput) {
    return take(input, () => {
      const next = row.pendingPlan ?? row.plan;
      const startMs = row.periodEndMs;
      const isSameLength = next.quantity === row.plan.quantity && next.period === row.plan.period;
      const isAnchored = row.state === 'active' && isSameLength;
      const anchorMs = isAnchored ? row.anchorMs : startMs;
      const periodNo = isAnchored ? row.periodNo + 1 : 1;
      const changes: Partial<Row> = {
        ...{ plan: next, pendingPlan: undefined, state: 'active', anchorMs, periodNo, periodStartMs: startMs },
        periodEndMs: periodEnd(new Date(anchorMs), periodNo, next).getTime(),
        ...{ cycle: row.cycle + 1, attempt: 1, collectsAtMs: input.atMs, reminded: [], dueMinor: nextCharge(next) },
      };
      return { reason: 'the period begins', changes };
    });
  }

  function renew(input: StepInput) {
    return take(input, () => {
      const charge = charges.findPaid(row.cycle);
      if (!charge) throw new Error(`nothing pays cycle ${row.cycle}`);
      charge.isRecorded = true;
      const isKept = row.state === 'active' && row.processingMs !== undefined;
      const isNew = row.state === 'on_hold' || row.state === 'paused' || (!isKept && row.periodEndMs <= input.atMs);
      const period: Partial<Row> = isNew ? periodFrom(input.atMs) : {};
      const changes: Partial<Row> = {
        ...{ ...period, state: 'active', paidMinor: row.dueMinor, dueMinor: 0, reminded: [], ...noDunning },
        ...{ paidFromMs: period.periodStartMs ?? row.periodStartMs },
        ...{ paidCharges: row.paidCharges + 1, attempt: charge.attempt },
      };
      return { reason: row.dunning ? 'recovered' : 'paid', changes };
    });
  }

  function end(input: EndInput) {
    return take(input, () => {
      const { to, reason, atMs } = input;
      const isUnpaidTrial =
        to === 'canceled' &&
        row.state === 'trialing' &&
        !row.hasCard &&
        row.canceledMs === undefined &&
        (row.trial?.endMs ?? Infinity) <= atMs;
      const debt = charges.findPaid(row.cycle + 1);
      if (debt) debt.isRecorded = true;
      const kept = to === 'revoked' ? { stateBeforeRevocation: toSnapshot(row).state } : { dueMinor: 0, ...noDunning };
      const changes: Partial<Row> = {
        state: isUnpaidTrial ? 'expired' : to,
        canceledMs: row.canceledMs ?? (to === 'canceled' ? atMs : undefined),
        ...{ processingMs: undefined, ...nothingPlanned, ...kept },
      };
      return { reason, changes };
    });
  }

  function quote(input: SwitchInput): SwitchQuote {
    const next = plan(input.accessFeeId);
    if (row.state === 'trialing' || next.id === row.plan.id) return nothingToPay;
    const paid = {
      ...{ paidMinor: row.paidMinor, currency: shop.currency, fromMs: row.paidFromMs },
      ...{ endMs: row.periodEndMs, periodStartMs: row.periodStartMs },
    };
    return quoteSwitch(row.plan, next, paid, input.atMs, input.mode);
  }

  function switchNow(
    next: Plan,
    { balanceMinor, chargeMinor, totalMinor, isNewPeriod }: SwitchQuote,
    atMs: number,
  ): Partial<Row> {
    charges.balanceMinor += balanceMinor;
    const charge = totalMinor > 0 ? charges.findPaid(row.cycle + 1) : undefined;
    if (totalMinor > 0 && !charge) throw new Error('nothing pays the plan change');
    if (charge) charge.isRecorded = true;
    if (row.state === 'trialing') return { plan: next, pendingPlan: undefined, ...trialUnder(next, atMs) };
    return {
      ...{ plan: next, pendingPlan: undefined, paidMinor: chargeMinor, paidFromMs: atMs, reminded: [] },
      ...{ cycle: row.cycle + 1, attempt: 1 },
      ...(isNewPeriod && { ...periodFrom(atMs, next), paidCharges: row.paidCharges + 1 }),
    };
  }

  function trialUnder(next: Plan, atMs: number): Partial<Row> {
    const startMs = row.trial?.startMs ?? atMs;
    const endMs = Math.max(atMs, switchedTrialEnd(new Date(startMs), next.trial).getTime());
    return { trial: { startMs, endMs }, periodEndMs: endMs, reminded: [] };
  }

  function read(): RunStart {
    const clock = shop.clock();
    const { state } = row;
    const known = { clock, ...(history.requests.length > 0 && { requests: [...history.requests] }) };
    if (state === 'incomplete') {
      const hasTrial = row.plan.trial !== undefined;
      return { ...known, state, hasTrial, firstMinor: nextCharge() };
    }
    if (state === 'incomplete_expired') return { ...known, state };
    const [isCollecting, isOverdue] = [row.collectsAtMs !== undefined, row.dunning !== undefined];
    const open = charges.findOpen({ ...row, isCollecting, isOverdue });
    const named = open && {
      ...{ subscriptionId: row.id, cycle: open.cycle, attempt: open.attempt },
      ...{ amountMinor: open.amountMinor, atMs: open.createdMs },
    };
    const isPending = open?.cycle === row.cycle && open.attempt === row.attempt;
    return {
      ...{ ...known, state: 'begun', snapshot: toSnapshot(row) },
      ...(named && (isPending ? { pendingAuthentication: named } : { unfinished: named })),
    };
  }

  return {
    chargeCycle: chargeOf,
    chargeFirstPeriod: (input) => {
      const outcome = chargeOf(input);
      if (outcome.outcome === 'paid' && row.state === 'incomplete') activate();
      return outcome;
    },
    chargeNextPeriod: ({ dueAtMs, ...input }) => {
      const requests = history.requests.filter(({ atMs }) => atMs <= dueAtMs);
      if (requests.length > 0 && input.version === row.version) return { requests };
      const snapshot = begin(input);
      const { version, cycle, attempt, dueMinor: amountMinor } = snapshot;
      const { subscriptionId, atMs } = input;
      const charge = { subscriptionId, version, cycle, attempt, amountMinor, atMs };
      return { snapshot, outcome: chargeOf(charge) };
    },
    lookUpCharge: (input) => charges.lookUp(input),
    voidCharge: (input) => charges.void(input),
    activateSubscription: () => {
      if (row.state === 'incomplete') activate();
      return opened();
    },
    startTrial: () => {
      if (row.state !== 'incomplete') return opened();
      if (!row.plan.trial) throw new Error('the plan has no trial');
      const startMs = shop.merchantNowMs();
      const endMs = trialEnd(new Date(startMs), row.plan.trial).getTime();
      const changes = { trial: { startMs, endMs }, periodStartMs: startMs, periodEndMs: endMs };
      history.change({ state: 'trialing', ...changes }, { reason: 'trial', atMs: startMs });
      return opened();
    },
    failSubscription: ({ reason }) => {
      if (row.state !== 'incomplete') return;
      history.change({ state: 'incomplete_expired' }, { reason, atMs: shop.merchantNowMs() });
    },
    readSubscription: read,
    checkRow: refuseOutOfSync,
    readRequests: (input) => {
      refuseAhead(input);
      return [...history.requests];
    },
    closeRequest: ({ id }) => {
      history.requests = history.requests.filter((request) => request.id !== id);
    },
    owesDebt: () => row.hasCard && !shop.isDebit && charges.balanceMinor <= -50,
    renewSubscription: renew,
    failRenewal: (input) =>
      take(input, () => {
        const { graceDays, retryDays, dunning: before } = row;
        const dunning: Dunning = before
          ? afterRetry(before, input.atMs, input.decline)
          : beginDunning({ graceDays, retryDays }, input.atMs, input.decline);
        const isNew = !before && row.state !== 'on_hold';
        const changes = { dunning, deferral: undefined, processingMs: undefined, attempt: input.attempt };
        return { reason: `declined: ${input.decline}`, changes: { ...changes, ...(isNew && { state: 'past_due' }) } };
      }),
    awaitDebit: (input) =>
      take(input, () => ({
        reason: 'the bank processes the direct debit',
        changes: { attempt: input.attempt, processingMs: input.atMs, deferral: undefined },
      })),
    failFirstDebit: (input) =>
      take(input, () => ({ reason: 'first debit failed', changes: { state: 'expired', dueMinor: 0, ...noDunning } })),
    returnDebit: (input) =>
      take(input, () => {
        const charge = charges.findPaid(row.cycle);
        if (!charge) throw new Error(`nothing pays cycle ${row.cycle}`);
        charges.reverse(charge);
        const { graceDays, retryDays } = row;
        const dunning = beginDunning({ graceDays, retryDays }, input.atMs, 'soft');
        const dueMinor = charge.amountMinor + charge.takenMinor;
        const changes = {
          dunning,
          state: 'past_due' as const,
          dueMinor,
          paidCharges: Math.max(0, row.paidCharges - 1),
        };
        return { reason: 'debit returned', changes };
      }),
    deferRenewal: (input) =>
      take(input, () => {
        const { sinceMs = input.atMs, tries = 0 } = row.deferral ?? {};
        const deferral = { sinceMs, tries: tries + 1, nextTryMs: input.nextTryMs };
        return { reason: 'the payment waits for the provider', changes: { attempt: input.attempt, deferral } };
      }),
    holdSubscription: (input) => take(input, () => ({ reason: 'grace is over', changes: { state: 'on_hold' } })),
    remind: (input) =>
      take(input, () => ({
        reason: `reminded: ${input.reminder}`,
        changes: { reminded: [...row.reminded, input.reminder] },
      })),
    turnRenewal: ({ autoRenew, ...input }) =>
      take(input, () =>
        autoRenew
          ? { reason: 'renewal turned on again', changes: { autoRenew, canceledMs: undefined } }
          : { reason: 'canceled', changes: { autoRenew, canceledMs: input.atMs, ...nothingPlanned } },
      ),
    endSubscription: end,
    expireSubscription: (input) => end({ ...input, to: 'expired', reason: 'not paid' }),
    restoreSubscription: (input) =>
      take(input, () => {
        if (shop.isErased()) return { reason: 'not restored', changes: {} };
        const state = row.stateBeforeRevocation ?? 'active';
        const isUnpaid = state === 'active' && row.dueMinor > 0;
        const charge = row.deferral
          ? { attempt: row.attempt + 1 }
          : { collectsAtMs: isUnpaid ? input.atMs : undefined };
        return { reason: 'restored', changes: { state, stateBeforeRevocation: undefined, ...charge } };
      }),
    planPause: ({ pauses, resumesAtMs, ...input }) =>
      take(input, () => ({
        reason: pauses ? 'pause planned' : 'pause taken back',
        changes: { pausesAtPeriodEnd: pauses, resumesAtMs },
      })),
    extendPeriod: ({ days, ...input }) =>
      take(input, () => {
        const { changeId } = input;
        if (history.steps.some((step) => step.changeId === changeId))
          return { reason: 'extended already', changes: {} };
        const byMs = days * dayMs;
        const periodEndMs = row.periodEndMs + byMs;
        const trial = row.state === 'trialing' && row.trial && { trial: { ...row.trial, endMs: periodEndMs } };
        const pause = row.resumesAtMs !== undefined && { resumesAtMs: row.resumesAtMs + byMs };
        const changes = { anchorMs: periodEndMs, periodNo: 0, periodEndMs, reminded: [], ...trial, ...pause };
        return { reason: 'extended', changes, changeId };
      }),
    pauseSubscription: (input) =>
      take(input, () => ({ reason: 'paused', changes: { state: 'paused', pausesAtPeriodEnd: false, reminded: [] } })),
    priceResumption: (input) =>
      take(input, () => {
        const next = row.pendingPlan ?? row.plan;
        const charge = { cycle: row.cycle + 1, attempt: 1, collectsAtMs: input.atMs, dueMinor: nextCharge(next) };
        return {
          reason: 'resumption requested',
          changes: { plan: next, pendingPlan: undefined, resumesAtMs: undefined, ...charge },
        };
      }),
    priceSwitch: (input) => {
      const isMade = row.version > input.version || history.findMessage(input).isComplete;
      if (isMade) return { amountMinor: 0, isLater: true };
      const quoted = quote(input);
      const { id, priceMinor: amountMinor, quantity, period, trial } = plan(input.accessFeeId);
      const terms = {
        id,
        amountMinor,
        quantity,
        period,
        trialQuantity: trial?.quantity ?? null,
        trialPeriod: trial?.period ?? null,
      };
      return {
        ...{ amountMinor: quoted.totalMinor, isLater: quoted.mode === 'next_period' },
        ...{ agreed: { plan: terms, quote: quoted }, ...(shop.isDebit && { isDebit: true as const }) },
      };
    },
    switchPlan: (input) =>
      take(input, () => {
        if (input.accessFeeId === row.plan.id) return { reason: 'it has the plan already', changes: {} };
        const next = plan(input.accessFeeId);
        const agreed = input.agreed?.quote ?? quote(input);
        if (agreed.mode === 'next_period')
          return { reason: 'plan from the next period on', changes: { pendingPlan: next } };
        return { reason: `plan ${next.id}`, changes: switchNow(next, agreed, input.atMs) };
      }),
    refuseChange: (input) =>
      take(input, () => {
        const { cycle, attempt } = input.charge ?? {
          cycle: row.state === 'paused' ? row.cycle : row.cycle + 1,
          attempt: 1,
        };
        charges.refundCycle(cycle);
        return { reason: 'change refused', changes: { cycle, attempt, dueMinor: 0, processingMs: undefined } };
      }),
    changeCard: (input) =>
      take(input, () => {
        const { changeId } = input;
        if (history.steps.some((step) => step.changeId === changeId))
          return { reason: 'card used already', changes: {} };
        const continues = row.state === 'trialing' && !row.hasCard && row.canceledMs === undefined;
        const renewal = continues ? { autoRenew: true, pausesAtPeriodEnd: false } : {};
        const dunning = row.dunning && { dunning: withNewCard(row.dunning, input.atMs) };
        return { reason: 'new card', changes: { hasCard: true, ...renewal, ...dunning }, changeId };
      }),
  };
}

const nothingToPay: SwitchQuote = {
  ...{ mode: 'now', creditMinor: 0, chargeMinor: 0, totalMinor: 0, balanceMinor: 0, isNewPeriod: false },
};
