import { defaulted, integer, modelOf, nullable, serial, text, time } from '../../adapters/postgres/columns';
import { sequelize } from '../../adapters/postgres/connection';
import { statement } from '../../adapters/postgres/statement';

export type CancelReason = 'too_expensive' | 'too_little_use' | 'missing_content' | 'technical_problems' | 'other';
export type OfferKind = 'pause' | 'plan' | 'discount';

/** What a merchant offers to customers who are about to cancel. */
export class CancelOffer extends modelOf({
  id: serial(),
  merchantId: integer(),
  itemId: nullable(integer()),
  reason: nullable(text<CancelReason>()),
  kind: text<OfferKind>(),
  pauseMonths: nullable(integer()),
  accessFeeId: nullable(integer()),
  percent: nullable(integer()),
  charges: nullable(integer()),
  createdAt: defaulted(time()),
  endedAt: nullable(time()),
}) {}
CancelOffer.init(CancelOffer.columns, { sequelize, tableName: 'cancel_offers' });

/** The fields that the kind has are not null. */
export type OfferTerms = Pick<CancelOffer, 'kind' | 'pauseMonths' | 'accessFeeId' | 'percent' | 'charges'>;

const fittingStatement = statement<OfferTerms & { id: number }>(
  'cancel_offers_fitting',
  `SELECT ${CancelOffer.selectList('o')} FROM cancel_offers o
   WHERE o.merchant_id = $1 AND o.ended_at IS NULL AND (o.item_id = $2 OR o.item_id IS NULL)
     AND (o.reason = $3 OR o.reason IS NULL)
   ORDER BY o.item_id IS NULL, o.reason IS NULL`,
);

/** The offers for an item and a reason. The most specific one comes first: the item counts more than the reason. */
export function listFittingOffers(merchantId: number, itemId: number, reason: CancelReason | null) {
  return fittingStatement([merchantId, itemId, reason]);
}

/** An offer with the number of customers who saw it, and what they decided. */
export interface OfferStatistics extends OfferTerms {
  id: number;
  itemId: number | null;
  itemTitle: string | null;
  planDescription: string | null;
  reason: CancelReason | null;
  createdAt: Date;
  endedAt: Date | null;
  shown: number;
  accepted: number;
  refused: number;
}

const statisticsStatement = statement<OfferStatistics>(
  'cancel_offer_statistics',
  `SELECT ${CancelOffer.selectList('o')}, i.title AS "itemTitle", f.description AS "planDescription",
     count(p.id)::int AS shown, count(p.id) FILTER (WHERE p.state = 'accepted')::int AS accepted,
     count(p.id) FILTER (WHERE p.state = 'refused')::int AS refused
   FROM cancel_offers o LEFT JOIN items i ON i.id = o.item_id LEFT JOIN access_fees f ON f.id = o.access_fee_id
     LEFT JOIN cancel_offer_presentations p ON p.cancel_offer_id = o.id
   WHERE o.merchant_id = $1 GROUP BY o.id, i.id, f.id ORDER BY o.ended_at IS NOT NULL, o.id DESC`,
);

/** All offers of a merchant: those that are open first, each group with the newest first. */
export const listOfferStatistics = (merchantId: number) => statisticsStatement([merchantId]);
