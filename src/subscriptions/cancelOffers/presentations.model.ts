import { type Transaction } from '../../adapters/postgres/connection';
import { execute, statement } from '../../adapters/postgres/statement';
import { type CancelReason, type OfferTerms } from './cancelOffers.model';

/** The offers that customers saw, and what they decided. */

/** An offer as a customer saw it. */
export interface OfferPresentation extends OfferTerms {
  id: number;
  /** The reason that the customer chose; null for none. */
  reason: CancelReason | null;
}

const terms = `o.kind, o.pause_months AS "pauseMonths", o.access_fee_id AS "accessFeeId", o.percent, o.charges`;

const openStatement = statement<OfferPresentation>(
  'cancel_offer_open',
  `SELECT p.id, p.reason, ${terms}
   FROM cancel_offer_presentations p JOIN cancel_offers o ON o.id = p.cancel_offer_id
   WHERE p.subscription_id = $1 AND p.state = 'shown' AND o.ended_at IS NULL AND p.again_at > merchant_now(p.merchant_id)`,
);

/** The offer that the customer has not decided on. */
export async function findOpenOffer(subscriptionId: number): Promise<OfferPresentation | undefined> {
  const [open] = await openStatement([subscriptionId]);
  return open;
}

const recordStatement = statement(
  'cancel_offer_present',
  `INSERT INTO cancel_offer_presentations (merchant_id, cancel_offer_id, subscription_id, account_id, item_id, reason, shown_at, again_at)
   SELECT s.merchant_id, $2, s.id, s.account_id, s.item_id, $3, t.at, t.at + interval '12 months'
   FROM subscriptions s, LATERAL (SELECT merchant_now(s.merchant_id) AS at) t WHERE s.id = $1
   ON CONFLICT DO NOTHING`,
);

/** Records that the customer sees an offer, unless the customer saw one for the item in the last twelve months. */
export async function recordPresentation(
  subscriptionId: number,
  offerId: number,
  reason: CancelReason | null,
): Promise<void> {
  await recordStatement([subscriptionId, offerId, reason]);
}

/** Undefined if the offer is no longer open: it was accepted or refused, or the merchant has ended it. */
export async function acceptOpenOffer(
  inTransaction: Transaction,
  { presentationId, subscriptionId, at }: { presentationId: number; subscriptionId: number; at: Date },
): Promise<OfferTerms | undefined> {
  const [accepted] = await execute<OfferTerms>(
    inTransaction,
    `UPDATE cancel_offer_presentations p SET state = 'accepted', decided_at = $3 FROM cancel_offers o
     WHERE p.id = $1 AND p.subscription_id = $2 AND p.state = 'shown' AND o.id = p.cancel_offer_id AND o.ended_at IS NULL
     RETURNING ${terms}`,
    [presentationId, subscriptionId, at],
  );
  return accepted;
}

/** The subscription is canceled or ends: its customer did not want the offer. */
export async function refuseOpenOffer(inTransaction: Transaction, subscriptionId: number, at: Date): Promise<void> {
  await execute(
    inTransaction,
    `UPDATE cancel_offer_presentations SET state = 'refused', decided_at = $2 WHERE subscription_id = $1 AND state = 'shown'`,
    [subscriptionId, at],
  );
}
