import { z } from 'zod';
import { AppError } from '../../kit/errors';
import { approve, getState, isClosed, resume, suspend } from './states.model';

export { approve, getState, resume, suspend };

/**
 * Throws an error for the pages of a merchant that waits for approval or is suspended. An unknown merchant is not
 * refused.
 */
export async function refuseClosed(merchantUuid: string): Promise<void> {
  if (z.uuid().safeParse(merchantUuid).success && (await isClosed(merchantUuid)))
    throw new AppError('merchant_not_open');
}
