import { type Transaction } from '../../adapters/postgres/connection';
import { execute, statement } from '../../adapters/postgres/statement';

export interface Holder {
  id: number;
  merchantId: number;
}

export interface FactorRow {
  id: string;
  kind: 'totp';
  sealed_secret: Buffer;
  confirmed_at: Date;
}

const factorStatement = statement<FactorRow>(
  'second_factor',
  `SELECT id, kind, sealed_secret, confirmed_at FROM second_factors
   WHERE merchant_id = $1 AND account_id = $2 AND confirmed_at IS NOT NULL`,
);

/** The factor that protects an account. */
export async function findFactor(holder: Holder, inTransaction?: Transaction): Promise<FactorRow | undefined> {
  const [row] = await factorStatement([holder.merchantId, holder.id], inTransaction);
  return row;
}

const openStatement = statement<Pick<FactorRow, 'sealed_secret'>>(
  'second_factor_open',
  `SELECT sealed_secret FROM second_factors
   WHERE merchant_id = $1 AND account_id = $2 AND id = $3 AND confirmed_at IS NULL AND expires_at > now()`,
);

/** A factor that waits for its first code. */
export async function findOpenFactor(holder: Holder, factorId: string) {
  const [row] = await openStatement([holder.merchantId, holder.id, factorId]);
  return row;
}

/** Locks an account, so that changes of its factor and its sign-ins run one after the other. */
export async function lockHolder(inTransaction: Transaction, { id }: Holder): Promise<void> {
  await execute(inTransaction, 'SELECT FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [id]);
}

/** The caller holds the lock of the account. An earlier factor that was not confirmed is deleted. */
export async function insertFactor(
  inTransaction: Transaction,
  { id, merchantId }: Holder,
  { sealedSecret, lifetimeMinutes }: { sealedSecret: Buffer; lifetimeMinutes: number },
): Promise<{ id: string; expires_at: Date }> {
  await execute(inTransaction, 'DELETE FROM second_factors WHERE account_id = $1 AND confirmed_at IS NULL', [id]);
  const [row] = await execute<{ id: string; expires_at: Date }>(
    inTransaction,
    `INSERT INTO second_factors (merchant_id, account_id, sealed_secret, expires_at)
     VALUES ($1, $2, $3, now() + make_interval(mins => $4)) RETURNING id, expires_at`,
    [merchantId, id, sealedSecret, lifetimeMinutes],
  );
  if (!row) throw new Error('the second factor was not written');
  return row;
}

/** False if the factor was replaced, or has expired. */
export async function confirmFactor(
  inTransaction: Transaction,
  holder: Holder,
  { factorId, step }: { factorId: string; step: number },
): Promise<boolean> {
  const confirmed = await execute(
    inTransaction,
    `UPDATE second_factors SET confirmed_at = now(), expires_at = NULL, last_step = $4
     WHERE merchant_id = $1 AND account_id = $2 AND id = $3 AND confirmed_at IS NULL AND expires_at > now() RETURNING id`,
    [holder.merchantId, holder.id, factorId, step],
  );
  return confirmed.length > 0;
}

/** Records the time step of a code. False if a code of this step or a later one was accepted before. */
export async function useStep(inTransaction: Transaction, factorId: string, step: number): Promise<boolean> {
  const used = await execute(
    inTransaction,
    `UPDATE second_factors SET last_step = $2
     WHERE id = $1 AND confirmed_at IS NOT NULL AND (last_step IS NULL OR last_step < $2) RETURNING id`,
    [factorId, step],
  );
  return used.length > 0;
}

/** Removes the factor and its recovery codes. False if the account had none. */
export async function removeFactors(inTransaction: Transaction, accountId: number): Promise<boolean> {
  await execute(inTransaction, 'DELETE FROM recovery_codes WHERE account_id = $1', [accountId]);
  const removed = await execute<{ confirmed_at: Date | null }>(
    inTransaction,
    'DELETE FROM second_factors WHERE account_id = $1 RETURNING confirmed_at',
    [accountId],
  );
  return removed.some(({ confirmed_at }) => confirmed_at !== null);
}

/** Records that a code of the second factor was accepted in this session. */
export async function noteProof(inTransaction: Transaction, sessionId: string): Promise<void> {
  await execute(inTransaction, 'UPDATE sessions SET factor_proven_at = now() WHERE id = $1', [sessionId]);
}

export async function notePassword(inTransaction: Transaction, sessionId: string): Promise<void> {
  await execute(inTransaction, 'UPDATE sessions SET password_proven_at = now() WHERE id = $1', [sessionId]);
}

const codesStatement = statement<{ count: number }>(
  'recovery_codes_left',
  'SELECT count(*)::int AS count FROM recovery_codes WHERE merchant_id = $1 AND account_id = $2',
);

export async function countRecoveryCodes({ merchantId, id }: Holder): Promise<number> {
  const [row] = await codesStatement([merchantId, id]);
  return row?.count ?? 0;
}
