import { call } from './client';
import { password, type Person } from './factories';
import { type TestApp } from './startApp';
import { until } from './until';

type App = Pick<TestApp, 'address' | 'pool'>;

/** Requests the erasure of an account as the account itself. */
export function requestErasure(app: Pick<TestApp, 'address'>, person: Pick<Person, 'token'>) {
  return call(app, 'DELETE', '/accounts/erase', { password }, person);
}

export async function operationOf({ pool }: Pick<TestApp, 'pool'>, accountId: number): Promise<number> {
  const { rows } = await pool.query<{ id: number }>(
    'SELECT id FROM account_operations WHERE account_id = $1 ORDER BY id DESC LIMIT 1',
    [accountId],
  );
  return rows[0]?.id ?? 0;
}

/** Erases an account that has bought nothing, by the steps of its workflow: no worker is needed. */
export async function erase(app: App, person: Person): Promise<void> {
  const { status } = await requestErasure(app, person);
  if (status !== 202) throw new Error(`The erasure answered ${status}`);
  const front = await import('../../src/privacy/erasures.js');
  const operationId = await operationOf(app, person.id);
  await front.giveBackCharges(operationId);
  await front.revokeAccesses(operationId);
  await front.forgetCards(operationId);
  await front.leaveChats(operationId);
  await front.wipeAccount(operationId);
  await front.destroyKey(operationId);
}

/** Waits until the account is erased by its workflow. */
export function isErased({ pool }: Pick<TestApp, 'pool'>, accountId: number) {
  return until(async () => {
    const { rows } = await pool.query('SELECT 1 FROM accounts WHERE id = $1 AND erased_at IS NOT NULL', [accountId]);
    return rows.length > 0;
  });
}

/** Waits until the workflow payloads of an erased account cannot be decrypted any more. */
export function isForgotten({ pool }: Pick<TestApp, 'pool'>, accountId: number) {
  return until(async () => {
    const { rows } = await pool.query('SELECT 1 FROM payload_keys WHERE account_id = $1', [accountId]);
    return rows.length === 0;
  });
}
