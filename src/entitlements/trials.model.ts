import { type Client } from 'pg';
import { type Transaction } from '../adapters/postgres/connection';
import { statement } from '../adapters/postgres/statement';

/** The identities that limit a person to one trial: the mailbox and the cards. */
export interface Person {
  email: string;
  fingerprints: string[];
  /** The sealed keys of hashes that the merchant has brought from other installations. */
  formerKeys: Buffer[];
}

const personStatement = statement<Person>(
  'trial_person',
  `SELECT a.email_normalized AS email,
     ARRAY(SELECT DISTINCT c.fingerprint FROM cards c WHERE c.account_id = a.id) AS fingerprints,
     ARRAY(SELECT k.sealed_key FROM former_trial_keys k WHERE k.merchant_id = a.merchant_id ORDER BY k.id) AS "formerKeys"
   FROM accounts a WHERE a.id = $1 AND a.merchant_id = $2`,
);

export async function findPerson(merchantId: number, accountId: number, inTransaction?: Transaction) {
  const [person] = await personStatement([accountId, merchantId], inTransaction);
  return person;
}

/** The owner of an identity's trial, and whether this statement inserted it. */
interface TakenTrial {
  hash: Buffer;
  subject: string;
  isNew: boolean;
}

/**
 * Sorted, so that parallel requests with shared identities do not deadlock. In a row that this statement inserts,
 * `xmax` is 0.
 */
const takeStatement = statement<TakenTrial>(
  'trial_take',
  `INSERT INTO used_trials AS u (merchant_id, item_id, identity_hash, subject)
   SELECT $1, $2, sent.hash, $4 FROM unnest($3::bytea[]) AS sent (hash) ORDER BY sent.hash
   ON CONFLICT (merchant_id, item_id, identity_hash) DO UPDATE SET subject = u.subject
   RETURNING identity_hash AS hash, subject, xmax = 0 AS "isNew"`,
);

/** Inserts one row for each identity, unless another subject has it. */
export function takeTrial(
  inTransaction: Transaction,
  { merchantId, itemId, subject }: { merchantId: number; itemId: number; subject: string },
  hashes: Buffer[],
): Promise<TakenTrial[]> {
  return takeStatement([merchantId, itemId, hashes, subject], inTransaction);
}

const leaveStatement = statement(
  'trial_leave',
  'DELETE FROM used_trials WHERE merchant_id = $1 AND item_id = $2 AND identity_hash = ANY($3::bytea[])',
);

export async function leaveTrial(
  inTransaction: Transaction,
  { merchantId, itemId }: { merchantId: number; itemId: number },
  hashes: Buffer[],
): Promise<void> {
  await leaveStatement([merchantId, itemId, hashes], inTransaction);
}

const releaseStatement = statement('trial_release', 'DELETE FROM used_trials WHERE merchant_id = $1 AND subject = $2');

export async function releaseSubject(inTransaction: Transaction, merchantId: number, subject: string): Promise<void> {
  await releaseStatement([merchantId, subject], inTransaction);
}

const usedStatement = statement<{ used: boolean }>(
  'trial_used',
  `SELECT EXISTS (SELECT 1 FROM used_trials
     WHERE merchant_id = $1 AND item_id = $2 AND identity_hash = ANY($3::bytea[])) AS used`,
);

export async function isTrialTaken(merchantId: number, itemId: number, hashes: Buffer[]): Promise<boolean> {
  const [row] = await usedStatement([merchantId, itemId, hashes]);
  return row?.used ?? false;
}

/** On the connection on which the merchants arrive. */
export async function insertFormerKeys(
  client: Client,
  merchantIds: readonly number[],
  sealedKey: Buffer,
): Promise<void> {
  const text = 'INSERT INTO former_trial_keys (merchant_id, sealed_key) SELECT unnest($1::int[]), $2';
  await client.query(text, [merchantIds, sealedKey]);
}
