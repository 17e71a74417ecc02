import { type Transaction } from '../../adapters/postgres/connection';
import { execute, statement } from '../../adapters/postgres/statement';
import { type CancelReason, type OfferTerms } from './cancelOffers.model';

/** The offers that customers saw, and what they decided. */

export type MadeOffer = { id: number; cancelOfferId: number; reason: CancelReason | null; shownAt: Date } & OfferTerms;

const terms = `o.kind, o.pause_months AS "pauseMonths", o.access_fee_id AS "accessFeeId", o.percent, o.charges`;

const openStatement = statement<MadeOffer>(
  'cancel_offer_open',
  `SELECT m.id, m.cancel_offer_id AS "cancelOfferId", m.reason, m.shown_at AS "shownAt", ${terms}
   FROM cancel_offers_made m JOIN cancel_offers o ON o.id = m.cancel_offer_id
   WHERE m.subscription_id = $1 AND m.state = 'shown' AND o.ended_at IS NULL AND m.again_at > merchant_now(m.merchant_id)`,
);

/** The offer that the customer has not decided on. */
export async function findOpenOffer(subscriptionId: number): Promise<MadeOffer | undefined> {
  const [open] = await openStatement([subscriptionId]);
  return open;
}

const makeStatement = statement<{ id: number }>(
  'cancel_offer_make',
  `INSERT INTO cancel_offers_made (merchant_id, cancel_offer_id, subscription_id, account_id, item_id, reason, shown_at, again_at)
   SELECT s.merchant_id, $2, s.id, s.account_id, s.item_id, $3, t.at, t.at + interval '12 months'
   FROM subscriptions s, LATERAL (SELECT merchant_now(s.merchant_id) AS at) t WHERE s.id = $1
   ON CONFLICT DO NOTHING RETURNING id`,
);

/** Records that the customer sees an offer. False if the customer saw one in the last twelve months. */
export async function makeOffer(
  subscriptionId: number,
  offerId: number,
  reason: CancelReason | null,
): Promise<boolean> {
  return (await makeStatement([subscriptionId, offerId, reason])).length > 0;
}

/** Undefined if the offer is no longer open: it was accepted or refused, or the merchant has ended it. */
export async function acceptOpenOffer(
  inTransaction: Transaction,
  { madeId, subscriptionId, at }: { madeId: number; subscriptionId: number; at: Date },
): Promise<OfferTerms | undefined> {
  const [accepted] = await execute<OfferTerms>(
    inTransaction,
    `UPDATE cancel_offers_made m SET state = 'accepted', decided_at = $3 FROM cancel_offers o
     WHERE m.id = $1 AND m.subscription_id = $2 AND m.state = 'shown' AND o.id = m.cancel_offer_id AND o.ended_at IS NULL
     RETURNING ${terms}`,
    [madeId, subscriptionId, at],
  );
  return accepted;
}

/** The subscription is canceled or ends: its customer did not want the offer. */
export async function refuseOpenOffer(inTransaction: Transaction, subscriptionId: number, at: Date): Promise<void> {
  await execute(
    inTransaction,
    `UPDATE cancel_offers_made SET state = 'refused', decided_at = $2 WHERE subscription_id = $1 AND state = 'shown'`,
    [subscriptionId, at],
  );
}
