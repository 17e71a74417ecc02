import { z } from 'zod';
import { config } from '../config';
import { logger } from './logger';

/** VIES, the register of the European Commission of businesses that trade between member states (its REST API). */

const answerWithinMs = 5_000;

const Answer = z.object({ userError: z.string(), requestIdentifier: z.string().optional() });

/** `reference`: the consultation number, which proves the look-up. It is empty if the look-up names no requester. */
export type LookUpResult = { outcome: 'registered'; reference: string } | { outcome: 'not_registered' | 'unknown' };

/** Whether a register can be asked. */
export const hasRegister = config.VIES_URL !== undefined;

/** Two letters of the country and the rest, as VIES separates them. */
const split = (number: string) => [number.slice(0, 2), number.slice(2)] as const;

/**
 * Looks a number up. `requester`: the tax number of the merchant; empty if it has none. The outcome is `unknown` without
 * VIES_URL, and if the register or the member state does not answer.
 */
export async function lookUpTaxNumber(number: string, requester: string): Promise<LookUpResult> {
  if (config.VIES_URL === undefined) return { outcome: 'unknown' };
  const [country, rest] = split(number);
  const [requesterMemberStateCode, requesterNumber] = split(requester);
  const asking =
    requester === '' ? '' : `?${new URLSearchParams({ requesterMemberStateCode, requesterNumber }).toString()}`;
  const base = config.VIES_URL.replace(/\/$/, '');
  try {
    const url = `${base}/ms/${country}/vat/${encodeURIComponent(rest)}${asking}`;
    const answer = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(answerWithinMs) });
    return outcomeOf(Answer.parse(await answer.json()));
  } catch (error) {
    // Only the name is logged: the address contains the number.
    logger.warn({ reason: error instanceof Error ? error.name : 'unknown' }, 'VIES gave no answer');
    return { outcome: 'unknown' };
  }
}

function outcomeOf({ userError, requestIdentifier = '' }: z.output<typeof Answer>): LookUpResult {
  if (userError === 'VALID') return { outcome: 'registered', reference: requestIdentifier };
  if (userError === 'INVALID') return { outcome: 'not_registered' };
  logger.warn({ reason: userError }, 'VIES could not look a tax number up');
  return { outcome: 'unknown' };
}
