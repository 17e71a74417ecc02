import { z } from 'zod';
import { type Transaction } from '../../adapters/postgres/connection';
import { AppError } from '../../kit/errors';
import { approve, endMoving, getState, isClosed, listHere, resume, setMoved, setMoving, suspend } from './states.model';

export { approve, endMoving, getState, listHere, resume, setMoved, setMoving, suspend };

/**
 * Throws an error for the pages of a merchant that waits for approval or is suspended. An unknown merchant is not
 * refused.
 */
export async function refuseClosed(merchantUuid: string): Promise<void> {
  if (z.uuid().safeParse(merchantUuid).success && (await isClosed(merchantUuid)))
    throw new AppError('merchant_not_open');
}

/** A merchant that moves: the payment provider and app stores send the notification again, then to the other installation. */
const askAgainSeconds = 600;

/**
 * Those of the merchants that live in this installation. Throws `service_unavailable` if there were some and all of them move to
 * another one or have moved.
 */
export async function refuseMoving(merchantIds: readonly number[], inTransaction?: Transaction): Promise<number[]> {
  const here = await listHere(merchantIds, inTransaction);
  if (merchantIds.length > 0 && here.length === 0)
    throw new AppError('service_unavailable', { retryAfterSeconds: askAgainSeconds });
  return here;
}
