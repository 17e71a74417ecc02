import { type Transaction } from '../adapters/postgres/connection';
import { type StepKind } from './ledger.model';
import { findLastStep, insertStep, type LastStep, type NewStep, type StoreState } from './storeSteps.model';

export { type LastStep, type StoreState };

/** The steps of store subscriptions in the vocabulary of card subscriptions, so that reports count both alike. */

/** The state that the store reports now. */
export interface StoreReport {
  state: StoreState;
  /** The price of a period, or the fee's price if the store does not report one. */
  amountMinor: number;
  currency: string;
  /** The subscription is paid and in service, as the ledger counts. */
  counts: boolean;
  /** The store reports a payment for the first time. */
  isNewPayment: boolean;
  /** The subscription was replaced by another one, which is paid. */
  goesOnPaid: boolean;
}

/** Writes the change since the last step, if there is one. The purchase's row is locked. */
export async function recordStoreStep(
  inTransaction: Transaction,
  about: { storePurchaseId: number; reason: string; at: Date },
  report: StoreReport,
): Promise<void> {
  const step = stepOf(await findLastStep(inTransaction, about.storePurchaseId), report);
  if (step) await insertStep(inTransaction, { ...about, ...step });
}

const isOver = (state: StoreState) => state === 'canceled' || state === 'expired' || state === 'revoked';
const isFailing = (state: StoreState | undefined) => state === 'past_due' || state === 'on_hold';

/** Undefined if nothing has changed that reports count. */
export function stepOf(last: LastStep | undefined, report: StoreReport): NewStep | undefined {
  const { state } = report;
  const isOwed = last !== undefined && isOver(state);
  // An ended subscription keeps its last price, even if the store reports another one.
  const { currency, amountMinor } = isOwed ? last : report;
  const occasions = [...trialOf(last, report), ...paymentsOf(last, report)];
  const hasMoved = last?.state !== state || last.currency !== currency;
  if (!hasMoved && occasions.length === 0) return undefined;
  const wasInTrial = last?.inTrial === true;
  const isDecided = occasions.includes('trial_converted') || occasions.includes('trial_lost');
  return {
    from: last,
    state,
    currency,
    amountMinor,
    occasions,
    charges: (last?.charges ?? 0) + (isPaid(last, report) ? 1 : 0),
    inTrial: occasions.includes('trial_started') || (wasInTrial && !isDecided),
  };
}

function isPaid(last: LastStep | undefined, { state, isNewPayment }: StoreReport): boolean {
  return state === 'active' && (isNewPayment || (last?.charges ?? 0) === 0);
}

function trialOf(last: LastStep | undefined, { state, counts, goesOnPaid }: StoreReport): StepKind[] {
  if (last?.inTrial !== true) {
    const begins = last === undefined || last.state === 'incomplete' || isOver(last.state);
    return begins && state === 'trialing' ? ['trial_started'] : [];
  }
  if (counts || goesOnPaid) return ['trial_converted'];
  return isOver(state) ? ['trial_lost'] : [];
}

function paymentsOf(last: LastStep | undefined, report: StoreReport): StepKind[] {
  const { state } = report;
  const found: StepKind[] = [];
  const goesOn = last !== undefined && last.charges > 0 && !isOver(last.state) && last.state !== 'trialing';
  if (goesOn && isPaid(last, report)) found.push('renewed');
  if (isFailing(state) && !isFailing(last?.state)) found.push('dunning_failed');
  if (isFailing(last?.state) && (state === 'active' || state === 'trialing')) found.push('dunning_recovered');
  if (isFailing(last?.state) && isOver(state)) found.push('dunning_lost');
  return found;
}
