import { type Transaction } from '../adapters/postgres/connection';
import { execute, query } from '../adapters/postgres/statement';

/** A merchant, and where it is on its way. */
export interface MovingMerchant {
  id: number;
  uuid: string;
  /** Null: it lives here. */
  movingSince: Date | null;
  movedAt: Date | null;
  isSuspended: boolean;
  /** It has come from another installation, and was not started yet. */
  isArriving: boolean;
  /** It belongs to another merchant. */
  isFollower: boolean;
  /** Its followers and itself. */
  group: number[];
}

export async function findMerchant(idOrUuid: string): Promise<MovingMerchant | undefined> {
  const [found] = await query<MovingMerchant>(
    `SELECT a.id, a.uuid, s.moving_since AS "movingSince", s.moved_at AS "movedAt",
       s.suspended_at IS NOT NULL AS "isSuspended",
       EXISTS (SELECT FROM merchant_moves m WHERE m.merchant_id = a.id AND m.direction = 'in' AND m.finished_at IS NULL)
         AS "isArriving",
       EXISTS (SELECT FROM follower_relations r WHERE r.follower_id = a.id) AS "isFollower",
       ARRAY(SELECT a.id UNION ALL SELECT r.follower_id FROM follower_relations r WHERE r.master_id = a.id ORDER BY 1) AS "group"
     FROM accounts a LEFT JOIN merchant_states s ON s.merchant_id = a.id
     WHERE a.role = 'merchant' AND $1 IN (a.id::text, a.uuid::text)`,
    [idOrUuid.toLowerCase()],
  );
  return found;
}

export interface Move {
  id: string;
  sealedCode: Buffer | null;
  tables: Record<string, TableDigest> | null;
  codeHash: Buffer | null;
  createdAt: Date;
  finishedAt: Date | null;
}

/** The rows of a table, so that a change is noticed. */
export interface TableDigest {
  rows: number;
  sum: string;
}

export async function findLastMove(merchantId: number, direction: 'out' | 'in'): Promise<Move | undefined> {
  const [last] = await query<Move>(
    `SELECT id, sealed_code AS "sealedCode", tables, code_hash AS "codeHash", created_at AS "createdAt",
       finished_at AS "finishedAt"
     FROM merchant_moves WHERE merchant_id = $1 AND direction = $2 ORDER BY created_at DESC LIMIT 1`,
    [merchantId, direction],
  );
  return last;
}

export async function insertDeparture(
  inTransaction: Transaction,
  { id, merchantId, sealedCode, tables }: { id: string; merchantId: number } & Pick<Move, 'sealedCode' | 'tables'>,
): Promise<void> {
  await execute(
    inTransaction,
    `INSERT INTO merchant_moves (id, merchant_id, direction, sealed_code, tables) VALUES ($1, $2, 'out', $3, $4)`,
    [id, merchantId, sealedCode, JSON.stringify(tables)],
  );
}

export async function finishMove(inTransaction: Transaction, id: string): Promise<void> {
  await execute(inTransaction, 'UPDATE merchant_moves SET finished_at = now() WHERE id = $1', [id]);
}

/** What an export waits for. */
export interface Unfinished {
  what: string;
  count: number;
  /** Some of the rows. */
  names: string;
}

const some = (name: string) => `array_to_string((array_agg(${name}::text ORDER BY ${name}))[1:5], ', ')`;

/**
 * Work that only this installation can finish. A charge that waits for its payer or its bank can be followed anywhere: the
 * provider knows it. The same holds for a renewal that a suspension has put off before it was sent.
 */
const unfinished: readonly (readonly [what: string, name: string, from: string])[] = [
  [
    'charges whose outcome is not known yet',
    'c.trx_token',
    `charges c LEFT JOIN subscriptions p ON p.id = c.subscription_id
       WHERE c.merchant_id = ANY($1::int[]) AND c.status = 'open' AND p.deferred_at IS NULL`,
  ],
  ['refunds that are being sent', 'r.token', `refunds r WHERE r.merchant_id = ANY($1::int[]) AND r.state = 'open'`],
  [
    'refunds of unmatched payments that are being sent',
    'u.reference',
    `unmatched_payments u WHERE u.merchant_id = ANY($1::int[]) AND u.state = 'refunding'`,
  ],
  [
    'exports and erasures of accounts',
    'o.token',
    `account_operations o WHERE o.merchant_id = ANY($1::int[]) AND o.next_due_at IS NOT NULL AND o.state = 'running'`,
  ],
  [
    'fillings with demo data and their removals',
    'd.token',
    `demo_fills d WHERE d.merchant_id = ANY($1::int[]) AND d.state IN ('running', 'removing')`,
  ],
  [
    'messages to Temporal that are not sent yet (npm run messages:list names refused ones)',
    'o.id',
    `outbox o WHERE (o.memo->>'merchantId')::int = ANY($1::int[])`,
  ],
];

export async function findUnfinished(group: readonly number[]): Promise<Unfinished[]> {
  const found: Unfinished[] = [];
  for (const [what, name, from] of unfinished) {
    const text = `SELECT count(*)::int AS count, ${some(name)} AS names FROM ${from}`;
    const [row] = await query<Omit<Unfinished, 'what'>>(text, [group]);
    if (row && row.count > 0) found.push({ what, ...row });
  }
  return found;
}
