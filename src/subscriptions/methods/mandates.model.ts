import { type Transaction } from '../../adapters/postgres/connection';
import { execute, statement } from '../../adapters/postgres/statement';

/** A mandate as it is stored: a row of `cards` with the method `direct_debit`. */
export interface StoredMandate {
  id: number;
  token: string;
  lastFour: string;
  country: string;
  fingerprint: string;
  holderName: string;
  reference: string;
  createdAt: Date;
}

const columns = `id, token, last_four AS "lastFour", country, fingerprint, holder_name AS "holderName",
  mandate_reference AS reference, created_at AS "createdAt"`;

type NewMandate = Omit<StoredMandate, 'id' | 'createdAt'> & { merchantId: number; accountId: number; provider: string };

export async function insertMandate(inTransaction: Transaction, mandate: NewMandate): Promise<StoredMandate> {
  const { merchantId, accountId, provider, token, lastFour, holderName, fingerprint, country, reference } = mandate;
  const [stored] = await execute<StoredMandate>(
    inTransaction,
    `INSERT INTO cards (merchant_id, account_id, method, brand, provider, token, last_four, holder_name, fingerprint, country,
       mandate_reference)
     VALUES ($1, $2, 'direct_debit', 'direct debit', $3, $4, $5, $6, $7, $8, $9) RETURNING ${columns}`,
    [merchantId, accountId, provider, token, lastFour, holderName, fingerprint, country, reference],
  );
  if (!stored) throw new Error('a mandate was not written');
  return stored;
}

// A mandate that was refused permanently, for example because the bank account is closed, is not used again.
const latestStatement = statement<StoredMandate>(
  'mandate_latest',
  `SELECT ${columns} FROM cards c WHERE account_id = $1 AND provider = $2 AND method = 'direct_debit'
     AND mandate_ended_at IS NULL
     AND NOT EXISTS (SELECT FROM charges o WHERE o.card_id = c.id AND o.status = 'declined' AND o.decline_class = 'hard')
   ORDER BY id DESC LIMIT 1`,
);

/** The account's latest mandate that can be charged. */
export async function findMandate(accountId: number, provider: string): Promise<StoredMandate | undefined> {
  const [mandate] = await latestStatement([accountId, provider]);
  return mandate;
}

/** A mandate of a provider that has ended, by its token. With `merchantId`, only one of this merchant. */
interface EndedMandate {
  provider: string;
  tokenEnd: string;
  merchantId: number | undefined;
}

/** Records that the payer or the bank has ended a mandate. It pays for no later purchase. Returns the merchants of the mandate. */
export async function writeEnd(
  inTransaction: Transaction,
  { provider, tokenEnd, merchantId }: EndedMandate,
): Promise<number[]> {
  const ended = await execute<{ merchantId: number }>(
    inTransaction,
    `UPDATE cards SET mandate_ended_at = now()
     WHERE provider = $1 AND method <> 'card' AND right(token, length($2)) = $2
       AND merchant_id = coalesce($3, merchant_id) AND mandate_ended_at IS NULL
     RETURNING merchant_id AS "merchantId"`,
    [provider, tokenEnd, merchantId ?? null],
  );
  return ended.map((card) => card.merchantId);
}
