import { type z } from 'zod';
import { toMajor } from '../../billing/money';
import { type Caller } from '../../kit/auth';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { changeNow, getLiving } from '../changes/changes';
import { refuseForbiddenSwitch } from '../changes/planChanges';
import { unlessKnown } from '../changes/requests';
import { fitsNow, resumption } from '../lifecycle/offers';
import { discountColumns, discountUnder, getPlan } from '../plans';
import { type Subscription } from '../subscriptions.model';
import { type CancelReason, listFittingOffers, type OfferTerms } from './cancelOffers.model';
import { presentShown } from './cancelOffers.presenter';
import { type OfferChoice, type OfferRequest } from './cancelOffers.schemas';
import { findOpenOffer, recordPresentation, type OfferPresentation } from './presentations.model';
import { upcomingCharge } from '../lifecycle/upcoming';

/**
 * The offer to a customer who is about to cancel. A customer sees at most one offer for an item in twelve months, and
 * can cancel without one.
 */

/** The offer for the reason, which is recorded as shown; the same one again until the customer decides. */
export async function makeCancelOffer(caller: Caller, token: string, { reason }: z.output<typeof OfferRequest>) {
  const row = await getLiving(caller, token, { isOwn: true });
  const presentation =
    renewsNext(row) && ((await findAvailable(caller, row)) ?? (await presentFitting(caller, row, reason ?? null)));
  if (!presentation) throw new AppError('cancel_offer_not_found');
  return present(row, presentation);
}

/** Only a paid period that renews can have an offer. The run checks the same. */
const renewsNext = ({ state, autoRenew, pauseAtPeriodEnd, deferredAt, processingAt }: Subscription) =>
  state === 'active' && autoRenew && !pauseAtPeriodEnd && deferredAt === null && processingAt === null;

/** Undefined if no offer fits, or if the customer saw one in the last twelve months. */
async function presentFitting(caller: Caller, row: Subscription, reason: CancelReason | null) {
  for (const offer of await listFittingOffers(row.merchantId, row.itemId, reason))
    if (await isAvailable(caller, row, offer)) {
      await recordPresentation(row.id, offer.id, reason);
      // A request at the same time may have recorded it.
      return findAvailable(caller, row);
    }
  return undefined;
}

/** Accepts the offer. The run of the subscription makes its change. */
export async function acceptCancelOffer(
  caller: Caller,
  token: string,
  { offer_id: presentationId }: z.output<typeof OfferChoice>,
  request: RequestFacts,
) {
  const row = await getLiving(caller, token, { isOwn: true });
  const change = { kind: 'takeOffer', presentationId } as const;
  await unlessKnown(row, change, request, async () => {
    if ((await findAvailable(caller, row))?.id !== presentationId) throw new AppError('cancel_offer_not_found');
  });
  return changeNow(caller, row, { change, request, done: 'The subscription continues with the offer' });
}

async function findAvailable(caller: Caller, row: Subscription): Promise<OfferPresentation | undefined> {
  const open = await findOpenOffer(row.id);
  return open && (await isAvailable(caller, row, open)) ? open : undefined;
}

/** Whether the offer fits the subscription. A plan must be on sale to the customer, as long as the present one and cheaper. */
async function isAvailable(caller: Caller, row: Subscription, offer: OfferTerms): Promise<boolean> {
  if (!fitsNow(row, offer)) return false;
  const { kind, accessFeeId } = offer;
  if (kind !== 'plan' || accessFeeId === null) return true;
  const plan = await getPlan(row.merchantId, accessFeeId);
  const isAsLong = plan.quantity === row.periodQuantity && plan.period === row.period;
  return isAsLong && plan.amountMinor < row.priceMinor && (await isOnSale(caller, row, accessFeeId));
}

async function isOnSale(caller: Caller, row: Subscription, accessFeeId: number): Promise<boolean> {
  try {
    await refuseForbiddenSwitch(caller, row, { access_fee_id: accessFeeId });
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

async function present(row: Subscription, presentation: OfferPresentation) {
  const { kind, accessFeeId, pauseMonths } = presentation;
  const plan = accessFeeId === null ? undefined : await getPlan(row.merchantId, accessFeeId);
  const terms = {
    ...row.get(),
    ...(plan && { priceMinor: plan.amountMinor, ...(await discountUnder(row, plan)) }),
    ...(kind === 'discount' && discountColumns(row, presentation)),
  };
  const resumesAt = kind === 'pause' ? resumption(row, pauseMonths ?? 1) : null;
  const amountMinor = await upcomingCharge(terms, resumesAt ?? row.currentPeriodEnd ?? row.createdAt);
  return presentShown(presentation, {
    planDescription: plan?.description ?? null,
    amount: toMajor(amountMinor, row.currency),
    currency: row.currency,
    effectiveAt: row.currentPeriodEnd,
    resumesAt,
  });
}
