import { isOfForm } from '../../kit/paymentMethods';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import {
  type AgreedSwitch,
  type Price,
  type RefusedInput,
  type SubscriptionSnapshot,
  type SwitchInput,
  type SwitchPlan,
} from '../../../workflows/messages';
import { queueMail } from '../../mail/mail';
import { moveBalance, quoteDue } from '../balances/balances';
import { type AnsweredTax, renewAddedTax, withRenewedTax } from '../../tax/addedTaxes';
import { describeTax } from '../../tax/taxTexts';
import { periodEnd } from '../../billing/periods';
import { quoteSwitch, settleSwitch, type SwitchQuote } from '../../billing/proration';
import { switchedTrialEnd } from '../../billing/trials';
import { Card } from '../cards.model';
import { creditFromCharges, findPaidCharge } from '../charges/cycles.model';
import { type Subscription, type SubscriptionFacts } from '../subscriptions.model';
import { discountUnder, getPlan, noDiscount, noOffer, type FeePlan } from '../plans';
import { keepLosses, readPeriodLosses, startPaid } from '../refunds/losses';
import { refundCycle } from '../refunds/refunds';
import { extendAccess } from './accesses';
import { isReceiptDue, mailTo, receiptOf, updatedEvent } from './periods';
import { describePayment, lockSubscription, takeStep, type Outcome, type StepContext, type WorkflowRun } from './steps';
import { discountedPrice, nextCharge, noCharge } from './prices';
import { findMessage } from './takenSteps';

/** Changes of the plan. */

/** The amount that a plan change costs now; 0 if the change was made already. */
export function priceSwitch(input: SwitchInput): Promise<Price> {
  return withRenewedTax((provided) => transaction((inTransaction) => fixPrice(input, { inTransaction, provided })));
}

async function fixPrice(input: SwitchInput, by: PricedBy & Required<Pick<PricedBy, 'inTransaction'>>): Promise<Price> {
  const { inTransaction } = by;
  const row = await lockSubscription(input.subscriptionId, inTransaction);
  const isMade = row.version > input.version || (await findMessage(input, inTransaction)).isComplete;
  if (isMade) return { amountMinor: 0, isLater: true };
  const dearerMinor = await findDearerTotal(row, input, by);
  if (dearerMinor !== undefined) return { amountMinor: 0, isLater: false, dearerMinor };
  const { addedTax, ...agreed } = await agree(row, input, by);
  const { totalMinor, mode } = agreed.quote;
  const isLater = mode === 'next_period';
  // The charge of the switch has the tax with which its amount is fixed here.
  if (addedTax !== null && !isLater && totalMinor > 0) await row.update({ addedTax }, { transaction: inTransaction });
  return {
    amountMinor: totalMinor,
    isLater,
    agreed,
    ...(await findDebit(row, inTransaction)),
  };
}

/** The total that is due now, if it is more than the customer was shown. The charge compares its own amount once more. */
async function findDearerTotal(row: Subscription, input: SwitchInput, by: PricedBy) {
  if (input.maxMinor === undefined) return undefined;
  const { totalMinor } = (await previewSwitch(row, input, by)).quote;
  return totalMinor > input.maxMinor ? totalMinor : undefined;
}

async function findDebit({ cardId }: Subscription, inTransaction: Transaction): Promise<{ isDebit?: true }> {
  const card = cardId === null ? null : await Card.findByPk(cardId, { transaction: inTransaction });
  return card && !isOfForm(card.method) && card.method !== 'paypal' ? { isDebit: true } : {};
}

/** Fixes the price of a switch. It stays valid even if the fee or the paid amount changes before the charge is paid. */
async function agree(row: Subscription, input: SwitchChoice, by: PricedBy): Promise<TaxedSwitch> {
  const { inTransaction, provided } = by;
  const plan = await getPlan(row.merchantId, input.accessFeeId, inTransaction);
  const { id, amountMinor, quantity, period, trialQuantity, trialPeriod } = plan;
  const discount = await discountUnder(row, plan, inTransaction);
  const isFullPrice = discount === noDiscount && ({ isFullPrice: true } as const);
  const addedTax = await renewAddedTax(row, new Date(input.atMs), inTransaction, provided);
  return {
    plan: { id, amountMinor, quantity, period, trialQuantity, trialPeriod, ...isFullPrice },
    quote: quoteOf(row, { ...discount, addedTax }, plan, input),
    addedTax,
  };
}

/** `provided`: the tax of the provider for the new price. */
interface PricedBy {
  inTransaction?: Transaction;
  provided?: AnsweredTax;
}

type TaxedSwitch = AgreedSwitch & Pick<Subscription, 'addedTax'>;

type SwitchChoice = Pick<SwitchInput, 'accessFeeId' | 'mode' | 'atMs'>;

/** The amounts of a plan change at an instant. They are 0 in a trial, and for the current plan. */
function quoteOf(
  row: Subscription,
  terms: Partial<typeof noDiscount> & Pick<Subscription, 'addedTax'>,
  plan: FeePlan,
  { mode, atMs }: SwitchChoice,
): SwitchQuote {
  if (row.state === 'trialing' || plan.id === row.accessFeeId) return nothingToPay;
  return quoteSwitch(runningPlan(row), newPlan({ ...row.get(), ...terms }, plan), paidTime(row), atMs, mode);
}

/** The preview of a change: its amounts, the next charge of the new plan, and the name of the plan. */
interface PreviewedSwitch {
  quote: SwitchQuote;
  startsAt: Date;
  description: string;
}

/** If the change ends a trial, the preview includes the first charge. */
export async function previewSwitch(
  row: Subscription,
  choice: SwitchChoice,
  by: PricedBy = {},
): Promise<PreviewedSwitch> {
  const { quote, ...shown } = await previewWhole(row, choice, by);
  // Nothing is charged now if the difference waits for the next invoice or is a credit.
  if (quote.totalMinor === 0) return { quote, ...shown };
  const { chargeMinor: totalMinor, takenMinor } = await quoteDue(row, quote.totalMinor, by.inTransaction);
  return { quote: { ...quote, totalMinor, balanceMinor: quote.balanceMinor - takenMinor }, ...shown };
}

/** The preview before the customer's balance is used. */
async function previewWhole(row: Subscription, choice: SwitchChoice, by: PricedBy): Promise<PreviewedSwitch> {
  const feePlan = await getPlan(row.merchantId, choice.accessFeeId, by.inTransaction);
  const { plan, quote, addedTax } = await agree(row, choice, by);
  const { description } = feePlan;
  const at = new Date(choice.atMs);
  if (row.state !== 'trialing')
    return { quote, description, startsAt: (quote.mode === 'next_period' && row.currentPeriodEnd) || at };
  const { trialEnd } = trialOf(row, at, plan);
  if (trialEnd > at) return { quote, description, startsAt: trialEnd };
  const terms = { priceMinor: plan.amountMinor, addedTax, ...noOffer, ...(plan.isFullPrice && noDiscount) };
  const chargeMinor = nextCharge({ ...row.get(), ...terms });
  const first = { chargeMinor, totalMinor: chargeMinor, balanceMinor: 0, isNewPeriod: true };
  return { quote: { ...quote, ...first }, description, startsAt: at };
}

/** Switches to the new plan now, or at the end of the period. A charge for the switch is paid before this step. */
export function switchPlan(input: SwitchInput, run: WorkflowRun): Promise<SubscriptionSnapshot> {
  return takeStep(input, run, async (moment) => {
    const { row, inTransaction } = moment;
    if (input.accessFeeId === row.accessFeeId) return { reason: 'it has the plan already', changes: {} };
    const { plan, quote } = input.agreed ?? (await agree(row, input, { inTransaction }));
    return quote.mode === 'next_period' ? planSwitch(moment, plan) : switchNow(moment, plan, quote);
  });
}

/** Switches at the end of the period. */
export function planSwitch(moment: StepContext, { id }: Pick<SwitchPlan, 'id'>): Outcome {
  const { row } = moment;
  if (row.pendingAccessFeeId === id) return { reason: 'the plan is pending already', changes: {} };
  return {
    reason: `plan ${id} from the next period on`,
    changes: { pendingAccessFeeId: id },
    events: [updatedEvent(row, describePayment(moment, 0, 'active', noCharge))],
  };
}

async function switchNow(moment: StepContext, plan: SwitchPlan, quote: SwitchQuote): Promise<Outcome> {
  const { row, facts, at, inTransaction } = moment;
  const charged = quote.totalMinor > 0 ? await findPaidCharge(row.id, row.cycle + 1, inTransaction) : undefined;
  const { losses, lostMinor } = await readPeriodLosses(row.id, inTransaction);
  const settled = settleSwitch(quote, { paid: paidTime(row), lostMinor, atMs: at.getTime() });
  await keepLosses(losses, settled, inTransaction);
  const paidQuote = { ...quote, chargeMinor: await startPaid(settled.paidMinor, charged, inTransaction) };
  const changes = {
    accessFeeId: plan.id,
    priceMinor: plan.amountMinor,
    periodQuantity: plan.quantity,
    period: plan.period,
    pendingAccessFeeId: null,
    ...noOffer,
    ...(plan.isFullPrice && noDiscount),
    ...(row.state === 'trialing' ? trialOf(row, at, plan) : periodOf(moment, plan, paidQuote)),
  };
  await carryDifference(moment, settled.balanceMinor);
  const after = { ...row.get(), ...changes };
  await extendAccess(moment, at, after.currentPeriodEnd ?? at);
  const { description } = await getPlan(row.merchantId, plan.id, inTransaction);
  if (charged && isReceiptDue(charged))
    await queueMail(inTransaction, mailTo(moment, 'receipt', receiptOf(row, description, charged, at)));
  const switched = { row: after, facts: { ...facts, description }, at };
  const paidMinor = charged?.amountMinor ?? 0;
  const resource = {
    ...describeSwitch(switched, paidMinor, quote),
    ...describeTax(paidMinor, row.currency, charged),
  };
  return { reason: `plan ${plan.id}`, changes, events: [updatedEvent(row, resource)] };
}

/**
 * Moves the difference of a plan change to the customer's balance. A credit for the old plan is assigned to the charges
 * that paid for it. An amount for the next invoice is a debt.
 */
async function carryDifference({ row, at, inTransaction }: StepContext, balanceMinor: number): Promise<void> {
  const cause = `plan_change:${row.id}:${row.version}`;
  const about = { reason: 'plan_change', subscriptionId: row.id, at } as const;
  let restMinor = balanceMinor;
  const sources = balanceMinor > 0 ? await creditFromCharges(row.id, balanceMinor, inTransaction) : [];
  for (const { id: chargeId, creditedMinor: amountMinor } of sources) {
    restMinor -= amountMinor;
    await moveBalance(inTransaction, row, { ...about, amountMinor, cause: `${cause}:${chargeId}`, chargeId });
  }
  await moveBalance(inTransaction, row, { ...about, amountMinor: restMinor, cause });
}

/** The charge for a part of a period has no number, so the voucher does not count it. */
function describeSwitch(switched: SwitchedState, paidMinor: number, { isNewPeriod }: AgreedSwitch['quote']) {
  return describePayment(switched, paidMinor, 'switched', isNewPeriod ? switched.row.discountCycle : noCharge);
}

type SwitchedState = Parameters<typeof describePayment>[0];

/**
 * The charge for a plan change or a resumption failed. Nothing changes, and the number of the cycle is not used again.
 */
export function refuseChange(
  { reason, charge, ...input }: RefusedInput,
  run: WorkflowRun,
): Promise<SubscriptionSnapshot> {
  return takeStep(input, run, async ({ row, inTransaction }) => {
    const { cycle, attempt } = charge ?? { cycle: row.state === 'paused' ? row.cycle : row.cycle + 1, attempt: 1 };
    // The charge may have been paid for a change whose run was lost.
    await refundCycle(inTransaction, { id: row.id, merchantId: row.merchantId, cycle });
    return { reason: `declined: ${reason}`, changes: { cycle, attempt, dueMinor: 0, processingAt: null } };
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

/** The trial under the new plan. If that plan has no trial, the first charge is due immediately. */
function trialOf(row: Subscription, at: Date, plan: Pick<SwitchPlan, 'trialQuantity' | 'trialPeriod'>) {
  const { trialQuantity: quantity, trialPeriod: period } = plan;
  const endsAt = switchedTrialEnd(row.trialStart ?? at, quantity && period ? { quantity, period } : undefined);
  const trialEnd = endsAt < at ? at : endsAt;
  return { trialQuantity: quantity, trialPeriod: period, trialEnd, currentPeriodEnd: trialEnd, reminded: [] };
}

function periodOf({ row, at }: StepContext, plan: SwitchPlan, quote: SwitchQuote) {
  // An amount on the next invoice counts as paid: a later credit for it lowers the debt.
  const paid = { paidMinor: quote.chargeMinor, paidFrom: at, cycle: row.cycle + 1, attempt: 1, reminded: [] };
  if (!quote.isNewPeriod) return paid;
  const period = { anchorAt: at, periodNo: 1, currentPeriodStart: at, currentPeriodEnd: periodEnd(at, 1, plan) };
  return { ...paid, ...period, discountCycle: row.discountCycle + 1 };
}

function runningPlan(row: Subscription) {
  const priceMinor = discountedPrice(row, row.discountCycle);
  return { priceMinor, listMinor: row.priceMinor, quantity: row.periodQuantity, period: row.period };
}

/**
 * The price for the rest of the period has the discount of the current charge; a whole period is the next charge.
 */
function newPlan(terms: SubscriptionFacts, plan: FeePlan) {
  const { discountCycle, addedTax } = terms;
  const priceOf = (charge: number) => discountedPrice(terms, charge, plan.amountMinor);
  return {
    ...plan,
    listMinor: plan.amountMinor,
    priceMinor: priceOf(discountCycle),
    nextMinor: priceOf(discountCycle + 1),
    addedTax,
  };
}

function paidTime(row: Subscription) {
  const periodStartMs = row.currentPeriodStart?.getTime() ?? 0;
  return {
    paidMinor: row.paidMinor,
    currency: row.currency,
    fromMs: row.paidFrom?.getTime() ?? periodStartMs,
    endMs: row.currentPeriodEnd?.getTime() ?? 0,
    periodStartMs,
  };
}
