/**
 * The condition for rows of merchants that live in this installation. A merchant that moves to another one, or has come from
 * one and was not started yet, has no runs here and is not compared with its payment provider.
 */
export const isHere = (merchantId: string): string =>
  `NOT EXISTS (SELECT FROM merchant_states moving WHERE moving.merchant_id = ${merchantId} AND moving.moving_since IS NOT NULL)`;

/**
 * The condition for rows that may be deleted because their time is over. Rows of a merchant on its way must stay as they were
 * exported. A copy of a merchant that has moved grows old as other rows do.
 */
export const isSettled = (merchantId: string): string =>
  `NOT EXISTS (SELECT FROM merchant_states moving WHERE moving.merchant_id = ${merchantId} AND moving.moving_since IS NOT NULL
     AND moving.moved_at IS NULL)`;
