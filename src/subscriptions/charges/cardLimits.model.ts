import { statement } from '../../adapters/postgres/statement';
import { ownReasons } from './charges.model';

/** The limits that forbid another attempt with a card. */
export interface CardLimits {
  /** The text of the bank's final decline, if there is one. */
  finalMessage: string | null;
  /**
   * The time from which the card can be charged again, in merchant time. Set if the card or the cycle was declined too
   * often.
   */
  freeAt: Date | null;
}

// Counts declines of banks only, because our own refusals were never sent. A card that was entered twice counts as one,
// by its fingerprint. A final decline counts only for the card row itself, because the expiry may be wrong, and only
// until the bank replaces the card.
const limitsStatement = statement<CardLimits>(
  'charge_card_limits',
  `WITH declined AS (
     SELECT o.created_at + interval '30 days' AS free_at, o.decline_class, o.decline_message, o.card_id, o.id,
       o.opened_at > coalesce(c.replaced_at, '-infinity') AS is_of_present_card,
       c.fingerprint = k.fingerprint AS is_card, o.subscription_id = $2 AND o.cycle = $3 AS is_cycle
     FROM cards k JOIN charges o ON o.account_id = k.account_id JOIN cards c ON c.id = o.card_id
     WHERE k.id = $1 AND o.status = 'declined' AND o.decline_reason <> ALL ($5)
   ), recent AS (
     SELECT d.* FROM declined d, cards k WHERE k.id = $1 AND d.free_at > merchant_now(k.merchant_id)
   )
   SELECT (SELECT decline_message FROM declined WHERE card_id = $1 AND decline_class = 'hard' AND is_of_present_card
       ORDER BY id DESC LIMIT 1) AS "finalMessage",
     greatest((SELECT free_at FROM recent WHERE is_card ORDER BY free_at DESC OFFSET $4 LIMIT 1),
       (SELECT free_at FROM recent WHERE is_cycle ORDER BY free_at DESC OFFSET $4 LIMIT 1)) AS "freeAt"`,
);

/** `max`: the number of declines that a card, or a cycle of a subscription, may have within 30 days. */
export async function findCardLimits(
  of: { cardId: number; subscriptionId: number; cycle: number },
  max: number,
): Promise<CardLimits> {
  const [limits] = await limitsStatement([of.cardId, of.subscriptionId, of.cycle, max - 1, ownReasons]);
  return limits ?? { finalMessage: null, freeAt: null };
}
