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
import { queueMail } from '../../../mail/service';
import { addToBalance } from '../../balances/service';
import { isChargeable } from '../../billing/dues';
import { withNewCard } from '../../billing/dunning';
import { periodEnd } from '../../billing/periods';
import { quoteSwitch, type SwitchQuote } from '../../billing/proration';
import { switchedTrialEnd } from '../../billing/trials';
import { type Subscription, type SubscriptionFacts } from '../../model';
import { discountUnder, getPlan, noDiscount, type FeePlan } from '../../plans/service';
import { openAccess } from '../accesses/service';
import { columnsOf } from '../dunning/service';
import { eventOf, mailTo, nextCharge, nothingDue, textsOf } from '../periods/service';
import {
  dayText,
  describePayment,
  discountedPrice,
  lockSubscription,
  noCharge,
  standingOf,
  takeStep,
  type Moment,
  type WorkflowRun,
} from '../steps/service';

/** A change of plans (subscriptions 4), and of cards. */

/** What a change of plans costs at once. Asked for again after it has happened: nothing, or its charge would be known. */
export function priceSwitch(input: SwitchInput): Promise<Price> {
  return transaction(async (inTransaction) => {
    const row = await lockSubscription(input.subscriptionId, inTransaction);
    if (row.version > input.version) return { amountMinor: 0, isLater: true };
    const agreed = await agree(row, input, inTransaction);
    return { amountMinor: agreed.quote.totalMinor, isLater: agreed.quote.mode === 'next_period', agreed };
  });
}

/** What is priced now holds, even if the fee or what was paid changes before the money is there. */
async function agree(row: Subscription, input: Wanted, inTransaction?: Transaction): Promise<AgreedSwitch> {
  const plan = await getPlan(row.merchantId, input.accessFeeId, inTransaction);
  const { id, amountMinor, quantity, period, trialQuantity, trialPeriod } = plan;
  const discount = await discountUnder(row, plan, inTransaction);
  const isFullPrice = discount === noDiscount && ({ isFullPrice: true } as const);
  return {
    plan: { id, amountMinor, quantity, period, trialQuantity, trialPeriod, ...isFullPrice },
    quote: quoteOf(row, discount, plan, input),
  };
}

type Wanted = Pick<SwitchInput, 'accessFeeId' | 'mode' | 'atMs'>;

/** The lines of a change of plans at an instant. In a trial no money moves, nor to the plan that it has already. */
function quoteOf(
  row: Subscription,
  discount: Partial<typeof noDiscount>,
  plan: FeePlan,
  { mode, atMs }: Wanted,
): SwitchQuote {
  if (row.state === 'trialing' || plan.id === row.accessFeeId) return nothingToPay;
  return quoteSwitch(runningPlan(row), newPlan({ ...row.get(), ...discount }, plan), paidTime(row), atMs, mode);
}

/** What a person is shown of a change: the lines, when the plan is charged next, and its name. */
interface PreviewedSwitch {
  quote: SwitchQuote;
  startsAt: Date;
  description: string;
}

/** A trial that the change brings to its end brings the first charge with it: nobody is told that this costs nothing. */
export async function previewSwitch(row: Subscription, wanted: Wanted): Promise<PreviewedSwitch> {
  const feePlan = await getPlan(row.merchantId, wanted.accessFeeId);
  const { plan, quote } = await agree(row, wanted);
  const { description } = feePlan;
  const at = new Date(wanted.atMs);
  if (row.state !== 'trialing')
    return { quote, description, startsAt: (quote.mode === 'next_period' && row.currentPeriodEnd) || at };
  const { trialEnd } = trialOf(row, at, plan);
  if (trialEnd > at) return { quote, description, startsAt: trialEnd };
  const chargeMinor = nextCharge({ ...row.get(), priceMinor: plan.amountMinor, ...(plan.isFullPrice && noDiscount) });
  const totalMinor = isChargeable(chargeMinor, row.currency) ? chargeMinor : 0;
  const first = { chargeMinor, totalMinor, balanceMinor: totalMinor - chargeMinor, isNewPeriod: true };
  return { quote: { ...quote, ...first }, description, startsAt: at };
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
          {
            type: 'subscribe.updated',
            ...eventOf(row, 'updated'),
            resource: describePayment(moment, 0, 'active', noCharge),
          },
        ],
      };
    const changes = {
      accessFeeId: plan.id,
      priceMinor: plan.amountMinor,
      periodQuantity: plan.quantity,
      period: plan.period,
      pendingAccessFeeId: null,
      ...(plan.isFullPrice && noDiscount),
      ...(row.state === 'trialing' ? trialOf(row, at, plan) : periodOf(moment, plan, quote)),
    };
    await addToBalance(inTransaction, row, quote.balanceMinor);
    const after = { ...row.get(), ...changes };
    await openAccess(moment, at, after.currentPeriodEnd ?? at);
    const { description } = await getPlan(row.merchantId, plan.id, inTransaction);
    if (quote.totalMinor > 0) {
      const values = { ...textsOf(row, description, quote.totalMinor), date: dayText(at) };
      await queueMail(inTransaction, mailTo(moment, 'receipt', values));
    }
    const told = { row: after, facts: { ...facts, description }, at };
    return {
      reason: `plan ${plan.id}`,
      changes,
      events: [{ type: 'subscribe.updated', ...eventOf(row, 'updated'), resource: describeSwitch(told, quote) }],
    };
  });
}

/** A part of a period is no charge to the voucher: its amount stands for itself. */
function describeSwitch(told: Told, { totalMinor, isNewPeriod }: AgreedSwitch['quote']) {
  return describePayment(told, totalMinor, 'switched', isNewPeriod ? told.row.discountCycle : noCharge);
}

type Told = Parameters<typeof describePayment>[0];

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
function trialOf(row: Subscription, at: Date, plan: Pick<SwitchPlan, 'trialQuantity' | 'trialPeriod'>) {
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
  const period = { anchorAt: at, periodNo: 1, currentPeriodStart: at, currentPeriodEnd: periodEnd(at, 1, plan) };
  return { ...paid, ...period, discountCycle: row.discountCycle + 1 };
}

function runningPlan(row: Subscription) {
  const priceMinor = discountedPrice(row, row.discountCycle);
  return { priceMinor, listMinor: row.priceMinor, quantity: row.periodQuantity, period: row.period };
}

/** For the rest of the period it costs what the voucher leaves of it as it stands; a whole period is the next charge. */
function newPlan(terms: SubscriptionFacts, plan: FeePlan) {
  const { discountCycle } = terms;
  const priceOf = (charge: number) => discountedPrice(terms, charge, plan.amountMinor);
  return {
    ...plan,
    listMinor: plan.amountMinor,
    priceMinor: priceOf(discountCycle),
    nextMinor: priceOf(discountCycle + 1),
  };
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
