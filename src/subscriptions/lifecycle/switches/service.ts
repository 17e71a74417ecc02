import { transaction, type Transaction } from '../../../adapters/postgres/connection';
import {
  type AgreedSwitch,
  type CardChange,
  type Price,
  type RefusedInput,
  type Standing,
  type SwitchInput,
  type SwitchPlan,
} from '../../../../workflows/messages';
import { addToBalance } from '../../balances/service';
import { withNewCard } from '../../billing/dunning';
import { periodEnd } from '../../billing/periods';
import { quoteSwitch, type SwitchQuote } from '../../billing/proration';
import { switchedTrialEnd } from '../../billing/trials';
import { type Subscription } from '../../model';
import { getPlan, type FeePlan } from '../../plans/service';
import { openAccess } from '../accesses/service';
import { columnsOf } from '../dunning/service';
import { eventOf, nothingDue } from '../periods/service';
import {
  describePayment,
  discountedPrice,
  lockSubscription,
  standingOf,
  takeStep,
  type Moment,
  type WorkflowRun,
} from '../steps/service';

/** A change of plans (subscriptions 4), and of cards. */

/** What a change of plans costs at once. */
export function priceSwitch(input: SwitchInput): Promise<Price> {
  return transaction(async (inTransaction) => {
    const row = await lockSubscription(input.subscriptionId, inTransaction);
    const agreed = await agree(row, input, inTransaction);
    return { amountMinor: agreed.quote.totalMinor, isLater: agreed.quote.mode === 'next_period', agreed };
  });
}

/** What is priced now holds, even if the fee or what was paid changes before the money is there. */
async function agree(row: Subscription, input: SwitchInput, inTransaction: Transaction): Promise<AgreedSwitch> {
  const plan = await getPlan(row.merchantId, input.accessFeeId, inTransaction);
  const { id, amountMinor, quantity, period, trialQuantity, trialPeriod } = plan;
  const quote = await quoteFor(row, input, inTransaction);
  return { plan: { id, amountMinor, quantity, period, trialQuantity, trialPeriod }, quote };
}

/** The lines of a change of plans at an instant. In a trial no money moves, nor to the plan that it has already. */
export async function quoteFor(
  row: Subscription,
  { accessFeeId, mode, atMs }: Pick<SwitchInput, 'accessFeeId' | 'mode' | 'atMs'>,
  inTransaction?: Transaction,
): Promise<SwitchQuote> {
  const plan = await getPlan(row.merchantId, accessFeeId, inTransaction);
  if (row.state === 'trialing' || accessFeeId === row.accessFeeId) return nothingToPay;
  return quoteSwitch(runningPlan(row), newPlan(row, plan), paidTime(row), atMs, mode);
}

/** The new plan is in force, or waits for the period's end; it was paid where it cost something. */
export function switchPlan(input: SwitchInput, run: WorkflowRun): Promise<Standing> {
  return takeStep(input, run, async (moment) => {
    const { row, facts, at, inTransaction } = moment;
    if (input.accessFeeId === row.accessFeeId) return { reason: 'it has the plan already', changes: {} };
    const { plan, quote } = input.agreed ?? (await agree(row, input, inTransaction));
    if (quote.mode === 'next_period' && row.pendingAccessFeeId === plan.id)
      return { reason: 'the plan is pending already', changes: {} };
    if (quote.mode === 'next_period')
      return {
        reason: `plan ${plan.id} from the next period on`,
        changes: { pendingAccessFeeId: plan.id },
        events: [
          { type: 'subscribe.updated', ...eventOf(row, 'updated'), resource: describePayment(moment, 0, 'active') },
        ],
      };
    const changes = {
      accessFeeId: plan.id,
      priceMinor: plan.amountMinor,
      periodQuantity: plan.quantity,
      period: plan.period,
      pendingAccessFeeId: null,
      ...(row.state === 'trialing' ? trialOf(moment, plan) : periodOf(moment, plan, quote)),
    };
    await addToBalance(inTransaction, row, quote.balanceMinor);
    const after = { ...row.get(), ...changes };
    await openAccess(moment, at, after.currentPeriodEnd ?? at);
    const resource = describePayment({ row: after, facts, at }, quote.totalMinor, 'switched');
    return {
      reason: `plan ${plan.id}`,
      changes,
      events: [{ type: 'subscribe.updated', ...eventOf(row, 'updated'), resource }],
    };
  });
}

/** The money for a change, or for going on after a pause, did not come: all stays as it is, and the cycle is used up. */
export function refuseChange({ reason, ...input }: RefusedInput, run: WorkflowRun): Promise<Standing> {
  return takeStep(input, run, async ({ row, inTransaction }) => {
    await addToBalance(inTransaction, row, row.creditMinor);
    const cycle = row.state === 'paused' ? row.cycle : row.cycle + 1;
    return { reason: `declined: ${reason}`, changes: { cycle, attempt: 1, ...nothingDue } };
  });
}

/** Another card pays from now on; what failed with the old one is planned anew. */
export function changeCard({ cardId, ...input }: CardChange, run: WorkflowRun): Promise<Standing> {
  return takeStep(input, run, ({ row }) => {
    const { dunning } = standingOf(row);
    // A trial that began without a card can be paid for now.
    const goesOn = row.state === 'trialing' && row.cardId === null && row.canceledAt === null;
    const renewal = goesOn ? { autoRenew: true, pauseAtPeriodEnd: false } : {};
    return {
      reason: 'new card',
      changes: { cardId, ...renewal, ...(dunning && columnsOf(withNewCard(dunning, input.atMs))) },
    };
  });
}

const nothingToPay: SwitchQuote = {
  mode: 'now',
  creditMinor: 0,
  chargeMinor: 0,
  totalMinor: 0,
  balanceMinor: 0,
  isNewPeriod: false,
};

/** Without a trial of its own, the first charge is due at once. */
function trialOf({ row, at }: Moment, plan: SwitchPlan) {
  const { trialQuantity: quantity, trialPeriod: period } = plan;
  const endsAt = switchedTrialEnd(row.trialStart ?? at, quantity && period ? { quantity, period } : undefined);
  const trialEnd = endsAt < at ? at : endsAt;
  return { trialQuantity: quantity, trialPeriod: period, trialEnd, currentPeriodEnd: trialEnd, reminded: [] };
}

function periodOf({ row, at }: Moment, plan: SwitchPlan, quote: SwitchQuote) {
  // A difference that the next invoice adds is not paid yet, and no credit comes of it.
  const paidMinor = quote.totalMinor + Math.min(quote.creditMinor, quote.chargeMinor);
  const paid = { paidMinor, paidFrom: at, cycle: row.cycle + 1, attempt: 1, reminded: [] };
  if (!quote.isNewPeriod) return paid;
  return { ...paid, anchorAt: at, periodNo: 1, currentPeriodStart: at, currentPeriodEnd: periodEnd(at, 1, plan) };
}

function runningPlan(row: Subscription) {
  const priceMinor = discountedPrice(row, row.discountCycle);
  return { priceMinor, quantity: row.periodQuantity, period: row.period };
}

function newPlan(row: Subscription, plan: FeePlan) {
  return { ...plan, priceMinor: discountedPrice(row, row.discountCycle, plan.amountMinor) };
}

function paidTime(row: Subscription) {
  const periodStartMs = row.currentPeriodStart?.getTime() ?? 0;
  return {
    paidMinor: row.paidMinor,
    fromMs: row.paidFrom?.getTime() ?? periodStartMs,
    endMs: row.currentPeriodEnd?.getTime() ?? 0,
    periodStartMs,
    currency: row.currency,
  };
}
