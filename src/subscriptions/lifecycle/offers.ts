import { type OfferInput, type OfferOutcome } from '../../../workflows/messages';
import { periodEnd } from '../../billing/periods';
import { type OfferTerms } from '../cancelOffers/cancelOffers.model';
import { acceptOpenOffer } from '../cancelOffers/presentations.model';
import { discountColumns } from '../plans';
import { pausePlan, updatedEvent } from './periods';
import {
  afterwards,
  describePayment,
  refusedBy,
  StepRefusal,
  takeStep,
  type Outcome,
  type StepContext,
  type WorkflowRun,
} from './steps';
import { planSwitch } from './switches';
import { type SubscriptionFacts } from '../subscriptions.model';
import { noCharge, reductionOfCharge } from './prices';

/** The change that a customer accepts in place of a cancellation. */

/** Accepts the offer and makes its change in one transaction. An offer that was decided before changes nothing. */
export function takeOffer({ presentationId, ...input }: OfferInput, run: WorkflowRun): Promise<OfferOutcome> {
  const taken = takeStep(input, run, (moment) => decide(moment, presentationId));
  return taken.then((snapshot) => ({ snapshot }), refusedBy);
}

async function decide(moment: StepContext, presentationId: number): Promise<Outcome> {
  const { row, at, inTransaction } = moment;
  const terms = await acceptOpenOffer(inTransaction, { presentationId, subscriptionId: row.id, at });
  if (!terms || !fitsNow(row, terms)) throw new StepRefusal('The offer is no longer open.');
  const { kind, accessFeeId, pauseMonths } = terms;
  if (kind === 'pause') return pausePlan(moment, { pauses: true, resumesAt: resumption(row, pauseMonths ?? 1) });
  if (kind === 'plan' && accessFeeId !== null) return planSwitch(moment, { id: accessFeeId });
  const changes = discountColumns(row, terms);
  return {
    reason: 'discount offer accepted',
    changes,
    events: [updatedEvent(row, describePayment(afterwards(moment, changes), 0, 'active', noCharge))],
  };
}

/** The end of a pause of some months that begins with the end of the paid period. */
export const resumption = ({ currentPeriodEnd }: Pick<SubscriptionFacts, 'currentPeriodEnd'>, months: number) =>
  periodEnd(currentPeriodEnd ?? new Date(0), months, { quantity: 1, period: 'month' });

/**
 * Whether the terms fit the subscription: no second plan change, and no discount beside another one. The state of the
 * subscription is checked by the run.
 */
export function fitsNow(row: SubscriptionFacts, { kind, accessFeeId }: OfferTerms): boolean {
  if (kind === 'pause') return true;
  if (row.pendingAccessFeeId !== null) return false;
  return kind === 'plan' ? accessFeeId !== row.accessFeeId : reductionOfCharge(row, row.discountCycle + 1) === 0;
}
