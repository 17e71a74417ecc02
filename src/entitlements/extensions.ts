import { merchantNow } from '../adapters/clock';
import { type Transaction } from '../adapters/postgres/connection';
import { endOfTime } from '../billing/periods';
import { AppError } from '../kit/errors';
import { type Access } from './entitlements.model';
import { type ExtendedAccess, setEnd, stretchRevenue } from './extensions.model';
import { moveBack } from './stacking';
import { lockStack } from './stacking.model';

/** A merchant gives a customer more time. */

const dayMs = 86_400_000;

/** Throws `invalid_input` if the end is later than clients can read. */
export function getExtendedEnd(endsAt: Date, days: number): Date {
  const extended = new Date(endsAt.getTime() + days * dayMs);
  if (extended <= endOfTime) return extended;
  const last = endOfTime.toISOString().slice(0, 10);
  throw new AppError('invalid_input', { errors: { days: `The days must end at the latest on ${last}.` } });
}

/** Moves the end of access that runs. Access that was bought to follow it moves with it. */
export async function moveEnd(inTransaction: Transaction, of: Access, days: number): Promise<ExtendedAccess> {
  const { id: accessId, merchantId, accountId, itemId, source, sourceId } = of;
  if (source === 'subscription') throw refused('Extend its subscription: POST /subscriptions/{id}/extend.');
  if (source === 'external') throw refused('The app store that sold it sets its end.');
  // The lock comes first, so the end is the present one.
  const access = (await lockStack(inTransaction, accountId, itemId)).find(({ id }) => id === accessId);
  if (!access) throw refused('It was revoked.');
  const { expiresAt: from } = access;
  if (from <= (await merchantNow(merchantId, inTransaction))) throw refused('It has ended. Grant access again.');
  if (from >= endOfTime) throw refused('It has no end.');
  const extended = await setEnd(inTransaction, accessId, getExtendedEnd(from, days));
  await moveBack(inTransaction, { accountId, itemId }, { id: accessId, from });
  if (source === 'payment') await stretchRevenue(inTransaction, { merchantId, paymentId: sourceId, days });
  return extended;
}

const refused = (explain: string) => new AppError('access_state', { explain });
