import { type Transaction } from '../adapters/postgres/connection';
import { statement } from '../adapters/postgres/statement';

const entryStatement = statement(
  'card_entry',
  `UPDATE cards SET browser_hash = $2, verified_at = CASE WHEN $3 THEN now() ELSE verified_at END WHERE id = $1`,
);

/** Writes the browser in which a card was entered, and whether its bank has agreed to later charges. */
export async function writeEntry(
  inTransaction: Transaction,
  { cardId, browserHash, isVerified }: { cardId: number; browserHash: Buffer | null; isVerified: boolean },
): Promise<void> {
  await entryStatement([cardId, browserHash, isVerified], inTransaction);
}

// A card can be entered several times, each with its own row. No bank verifies a mandate for direct debits, and none sees a
// charge of 0.
const enteredStatement = statement(
  'card_entered_here',
  `SELECT FROM cards wanted JOIN cards k ON k.account_id = wanted.account_id AND k.method = wanted.method
     AND (k.id = wanted.id OR k.provider = wanted.provider AND k.fingerprint = wanted.fingerprint AND k.fingerprint <> '')
   WHERE wanted.id = $1 AND k.browser_hash = $2 AND (k.method = 'direct_debit' OR k.verified_at IS NOT NULL
     OR EXISTS (SELECT FROM charges o WHERE o.account_id = k.account_id AND o.card_id = k.id AND o.status = 'paid'
       AND o.amount_minor > 0))
   LIMIT 1`,
);

/** Whether a card was entered in a browser, and has paid or was verified since then. */
export async function wasProvenIn(inTransaction: Transaction, cardId: number, browserHash: Buffer): Promise<boolean> {
  return (await enteredStatement([cardId, browserHash], inTransaction)).length > 0;
}
