/**
 * The condition for rows of merchants that live in this installation. A merchant that moves to another one, or has come from
 * one and was not started yet, has no runs here and is not compared with its payment provider.
 */
export const isHere = (merchantId: string): string =>
  `NOT EXISTS (SELECT FROM merchant_states moving WHERE moving.merchant_id = ${merchantId} AND moving.moving_since IS NOT NULL)`;
