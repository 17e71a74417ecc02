import { type z } from 'zod';
import { unixSeconds } from '../../kit/time';
import { type OfferStatistics, type OfferTerms } from './cancelOffers.model';
import { type CancelOfferList, type ShownOffer } from './cancelOffers.schemas';
import { type OfferPresentation } from './presentations.model';

export function presentOffers(rows: readonly OfferStatistics[]): z.output<typeof CancelOfferList> {
  const total = rows.length;
  return { total, page: 1, offset: 0, limit: total, collection: rows.map(presentOffer) };
}

function presentOffer(row: OfferStatistics): z.output<typeof CancelOfferList>['collection'][number] {
  const { id, itemId, reason, shown, accepted, refused } = row;
  return {
    id,
    ...presentTerms(row),
    item_id: itemId,
    item_title: row.itemTitle,
    access_fee_description: row.planDescription,
    reason,
    shown,
    accepted,
    refused,
    share: shown === 0 ? null : Math.round((1000 * accepted) / shown) / 10,
    created_at: unixSeconds(row.createdAt),
    ended_at: unixSeconds(row.endedAt),
  };
}

function presentTerms({ kind, pauseMonths, accessFeeId, percent, charges }: OfferTerms) {
  return { kind, pause_months: pauseMonths, access_fee_id: accessFeeId, percent, charges };
}

/** The amount in the major unit, and the dates. */
export interface OfferDetails {
  planDescription: string | null;
  amount: number;
  currency: string;
  effectiveAt: Date | null;
  resumesAt: Date | null;
}

export function presentShown(presentation: OfferPresentation, change: OfferDetails): z.output<typeof ShownOffer> {
  return {
    offer_id: presentation.id,
    ...presentTerms(presentation),
    reason: presentation.reason,
    access_fee_description: change.planDescription,
    amount: change.amount,
    currency: change.currency,
    effective_at: unixSeconds(change.effectiveAt),
    resumes_at: unixSeconds(change.resumesAt),
  };
}
