import { type Transaction } from '../../adapters/postgres/connection';
import { operatorIdleMinutes } from '../../adapters/settings';
import { type AccountRole } from '../../kit/auth';
import { getSettings } from '../settings';

/** The time at which unused sessions of people end now, or undefined for no limit. */
export async function findIdleSince(
  { merchantId, role }: { merchantId: number; role: AccountRole },
  inTransaction?: Transaction,
): Promise<Date | undefined> {
  const minutes =
    role === 'operator' ? operatorIdleMinutes : (await getSettings(merchantId, inTransaction)).sessionIdleMinutes;
  return minutes === null ? undefined : new Date(Date.now() - minutes * 60_000);
}
