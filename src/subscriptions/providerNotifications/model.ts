import { type Transaction } from '../../adapters/postgres/connection';
import { execute, statement } from '../../adapters/postgres/statement';

interface Named {
  provider: string;
  id: string;
}

const knownStatement = statement(
  'provider_notification_known',
  'SELECT FROM provider_notifications WHERE provider = $1 AND id = $2',
);

export async function isKnown({ provider, id }: Named): Promise<boolean> {
  return (await knownStatement([provider, id])).length > 0;
}

/** False: another request has noted it in the meantime. */
export async function note(inTransaction: Transaction, { provider, id }: Named, about: string): Promise<boolean> {
  const noted = await execute(
    inTransaction,
    'INSERT INTO provider_notifications (provider, id, about) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING id',
    [provider, id, about],
  );
  return noted.length > 0;
}

export interface DisputeWord {
  provider: string;
  id: string;
  chargeId: number;
  isWon: boolean;
  at: Date;
}

const lockStatement = statement(
  'dispute_lock',
  `SELECT pg_advisory_xact_lock(hashtext('disputes'), coalesce(subscription_id, -payment_id)) FROM charges WHERE id = $1`,
);

/**
 * False: something newer is known of it already. Of two words of one second the decision is the newer one. Until the
 * commit nobody else notes one of the same purchase: of two that are won at once the second would else not see the first.
 */
export async function noteDispute(inTransaction: Transaction, word: DisputeWord): Promise<boolean> {
  await lockStatement([word.chargeId], inTransaction);
  const noted = await execute(
    inTransaction,
    `INSERT INTO disputes AS d (provider, id, charge_id, is_won, told_at) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (provider, id) DO UPDATE SET is_won = excluded.is_won, told_at = excluded.told_at
       WHERE (excluded.told_at, excluded.is_won) > (d.told_at, d.is_won)
     RETURNING id`,
    [word.provider, word.id, word.chargeId, word.isWon, word.at],
  );
  return noted.length > 0;
}

/** Whether the payer's bank has any of a purchase's money: it may dispute more than one charge. */
export async function isDisputed(
  inTransaction: Transaction,
  { kind, id }: { kind: 'subscription' | 'payment'; id: number },
): Promise<boolean> {
  const standing = await execute(
    inTransaction,
    `SELECT d.id FROM disputes d JOIN charges c ON c.id = d.charge_id WHERE NOT d.is_won AND c.${kind}_id = $1`,
    [id],
  );
  return standing.length > 0;
}
