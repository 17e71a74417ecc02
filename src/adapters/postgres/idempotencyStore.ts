import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../kit/errors';
import { type ClaimedKey, type IdempotencyStore, type KeyState } from '../../kit/idempotency';
import { logger } from '../logger';
import { keyLocks, sequelize, type Transaction } from './connection';
import { onBehalfOf, RequestWork } from './requestWork';
import { statement, statementApart } from './statement';

const keptFor = `interval '24 hours'`;
/** The key was stored without an answer by the same request, whose answer was pending. */
const isUndecided = '(k.sealed_answer IS NULL AND k.request_hash = excluded.request_hash)';

const findStatement = statementApart<{ request_hash: string; sealed_answer: Buffer | null }>(
  'idempotency_find',
  `SELECT request_hash, sealed_answer FROM idempotency_keys
   WHERE scope = $1 AND key = $2 AND created_at > now() - ${keptFor}`,
);
// Waits until another transaction with the same key has ended.
const beginStatement = statement<{ key: string }>(
  'idempotency_begin',
  `WITH turn AS (SELECT pg_advisory_xact_lock($4, $5))
   INSERT INTO idempotency_keys AS k (scope, key, request_hash) SELECT $1, $2, $3 FROM turn
   ON CONFLICT (scope, key) DO UPDATE SET
     request_hash = excluded.request_hash, sealed_answer = NULL, created_at = excluded.created_at
     WHERE k.created_at <= now() - ${keptFor} OR ${isUndecided}
   RETURNING key`,
);
const answerStatement = statement(
  'idempotency_answer',
  'UPDATE idempotency_keys SET sealed_answer = $3 WHERE scope = $1 AND key = $2',
);
const dropStatement = statement('idempotency_drop', 'DELETE FROM idempotency_keys WHERE scope = $1 AND key = $2');
const answerAloneStatement = statementApart(
  'idempotency_answer_alone',
  `INSERT INTO idempotency_keys AS k (scope, key, request_hash, sealed_answer) VALUES ($1, $2, $3, $4)
   ON CONFLICT (scope, key) DO UPDATE SET
     request_hash = excluded.request_hash, sealed_answer = excluded.sealed_answer, created_at = excluded.created_at
     WHERE k.created_at <= now() - ${keptFor} OR ${isUndecided}`,
);
const isOverStatement = statementApart<{ is_over: boolean }>(
  'idempotency_is_over',
  'SELECT pg_try_advisory_xact_lock($1, $2) AS is_over',
);

/**
 * The key, the work of its request and the answer are written in one transaction: if the key is stored, the answer is too,
 * and if it is not, nothing was done. A lock refuses a second request while the first runs.
 */
export const idempotencyStore: IdempotencyStore = {
  async once(claim, run) {
    const known = await find(claim);
    if (known) return known;
    const free = await keyLocks.take(lockOf(claim).whileItRuns);
    if (!free) return { state: 'running' };
    try {
      // The process that held the lock may have died while its transaction is still being committed.
      if (!(await isOver(claim))) return { state: 'running' };
      return (await find(claim)) ?? (await doWork(claim, run));
    } finally {
      await free();
    }
  },
};

async function find({ scope, key, requestHash }: ClaimedKey): Promise<KeyState | undefined> {
  const [row] = await findStatement([scope, key]);
  if (!row) return undefined;
  if (row.request_hash !== requestHash) return { state: 'other_request' };
  return row.sealed_answer ? { state: 'answered', sealedAnswer: row.sealed_answer } : undefined;
}

async function doWork(claim: ClaimedKey, run: () => Promise<Buffer | undefined>): Promise<KeyState> {
  const work = new RequestWork(() => begin(claim));
  try {
    const sealedAnswer = await onBehalfOf(work, run);
    await finish(claim, work, sealedAnswer);
  } catch (error) {
    if (isRefusal(error)) await keepWithoutKey(claim, work);
    await work.rollback();
    if (error instanceof KeyTaken) return (await find(claim)) ?? { state: 'running' };
    throw error;
  }
  await work.runAfterwards();
  return { state: 'done' };
}

/** Another request has done the work. That is possible only if this request has lost its lock. */
class KeyTaken extends Error {}

async function begin(claim: ClaimedKey): Promise<Transaction> {
  const { scope, key, requestHash } = claim;
  const transaction = await sequelize.transaction();
  try {
    const begun = await beginStatement([scope, key, requestHash, ...lockOf(claim).untilCommitted], transaction);
    if (begun.length === 0) throw new KeyTaken();
    return transaction;
  } catch (error) {
    await transaction.rollback().catch(() => undefined);
    throw error;
  }
}

async function finish(claim: ClaimedKey, work: RequestWork, sealedAnswer: Buffer | undefined): Promise<void> {
  const { scope, key, requestHash } = claim;
  const { open } = work;
  if (!open) return answerAlone([scope, key, requestHash, sealedAnswer ?? null]);
  if (sealedAnswer) await answerStatement([scope, key, sealedAnswer], open);
  await work.commit().catch((error: unknown) => refuseUncommitted(claim, error));
}

/** Stores the answer of a request that wrote nothing. A failure is only logged, because a repetition is harmless. */
async function answerAlone(values: unknown[]): Promise<void> {
  await answerAloneStatement(values).catch((error: unknown) =>
    logger.warn({ reason: (error as Error).message }, 'an answer was not stored for its Idempotency-Key'),
  );
}

/**
 * The client can repeat a refused request with the same key. Rows that the refusal wrote, such as counters, are kept.
 */
const isRefusal = (error: unknown) => error instanceof AppError && error.status < 500;

async function keepWithoutKey({ scope, key }: ClaimedKey, work: RequestWork): Promise<void> {
  if (!work.open) return;
  await dropStatement([scope, key], work.open);
  await work.commit();
}

const resolvedWithinMs = 10_000;
const lookAgainMs = 100;

/** A COMMIT without an answer may have succeeded. Another connection shows the outcome once the transaction has ended. */
async function refuseUncommitted(claim: ClaimedKey, error: unknown): Promise<void> {
  logger.warn({ reason: (error as Error).message }, 'the outcome of a commit is unknown');
  for (const givesUpAt = Date.now() + resolvedWithinMs; Date.now() < givesUpAt; await sleep(lookAgainMs)) {
    const isDone = await isOver(claim)
      .then(async (over) => (over ? await isKept(claim) : undefined))
      .catch(() => undefined);
    if (isDone === true) return;
    if (isDone === false) throw error;
  }
  throw new AppError('service_unavailable', { retryAfterSeconds: 2 });
}

const isKept = async ({ scope, key }: ClaimedKey) => (await findStatement([scope, key])).length > 0;

async function isOver(claim: ClaimedKey): Promise<boolean> {
  const [row] = await isOverStatement(lockOf(claim).untilCommitted);
  return row?.is_over === true;
}

/** The keys of two advisory locks: one for the session, and one for the transaction. */
function lockOf({ scope, key }: ClaimedKey): { whileItRuns: bigint; untilCommitted: [number, number] } {
  const hash = createHash('sha256')
    .update(JSON.stringify([scope, key]))
    .digest();
  return { whileItRuns: hash.readBigInt64BE(0), untilCommitted: [hash.readInt32BE(8), hash.readInt32BE(12)] };
}
