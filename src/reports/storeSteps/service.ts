import { type Transaction } from '../../adapters/postgres/connection';
import { type Occasion } from '../rows/model';
import { findLastStep, insertStep, type LastStep, type NewStep, type StoreState } from './model';

export { type LastStep, type StoreState };

/** What happens to subscriptions of app stores, in the words of those by card: reports count both alike. */

/** As its store tells of it now. */
export interface StoreStanding {
  state: StoreState;
  /** Of a period; where the store does not tell, the fee's. */
  amountMinor: number;
  currency: string;
  /** It is served for money, as the ledger counts. */
  counts: boolean;
  /** The store tells of a payment that it had not told of. */
  isNewPayment: boolean;
  /** It was given up for another one, which is paid for. */
  goesOnPaid: boolean;
}

/** Writes what has become of it since the last step; nothing where nothing has. Its row is locked meanwhile. */
export async function recordStoreStep(
  inTransaction: Transaction,
  about: { storePurchaseId: number; reason: string; at: Date },
  standing: StoreStanding,
): Promise<void> {
  const step = stepOf(await findLastStep(inTransaction, about.storePurchaseId), standing);
  if (step) await insertStep(inTransaction, { ...about, ...step });
}

const isOver = (state: StoreState) => state === 'canceled' || state === 'expired' || state === 'revoked';
const isFailing = (state: StoreState | undefined) => state === 'past_due' || state === 'on_hold';

/** Undefined: nothing that reports count. */
export function stepOf(last: LastStep | undefined, standing: StoreStanding): NewStep | undefined {
  const { state } = standing;
  const isOwed = last !== undefined && isOver(state);
  // What ended is worth what was to be paid for it, whatever the store tells of it by then.
  const { currency, amountMinor } = isOwed ? last : standing;
  const occasions = [...trialOf(last, standing), ...paymentsOf(last, standing)];
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
    charges: (last?.charges ?? 0) + (isPaid(last, standing) ? 1 : 0),
    inTrial: occasions.includes('trial_started') || (wasInTrial && !isDecided),
  };
}

function isPaid(last: LastStep | undefined, { state, isNewPayment }: StoreStanding): boolean {
  return state === 'active' && (isNewPayment || (last?.charges ?? 0) === 0);
}

function trialOf(last: LastStep | undefined, { state, counts, goesOnPaid }: StoreStanding): Occasion[] {
  if (last?.inTrial !== true) {
    const begins = last === undefined || last.state === 'incomplete' || isOver(last.state);
    return begins && state === 'trialing' ? ['trial_started'] : [];
  }
  if (counts || goesOnPaid) return ['trial_converted'];
  return isOver(state) ? ['trial_lost'] : [];
}

function paymentsOf(last: LastStep | undefined, standing: StoreStanding): Occasion[] {
  const { state } = standing;
  const found: Occasion[] = [];
  const goesOn = last !== undefined && last.charges > 0 && !isOver(last.state) && last.state !== 'trialing';
  if (goesOn && isPaid(last, standing)) found.push('renewed');
  if (isFailing(state) && !isFailing(last?.state)) found.push('dunning_failed');
  if (isFailing(last?.state) && (state === 'active' || state === 'trialing')) found.push('dunning_recovered');
  if (isFailing(last?.state) && isOver(state)) found.push('dunning_lost');
  return found;
}
