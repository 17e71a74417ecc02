import { z } from 'zod';
import { config } from '../config';
import { logger } from './logger';

/** VIES, the register of the European Commission of businesses that trade between member states (its REST API). */

const answerWithinMs = 5_000;

const Answer = z.object({
  userError: z.string(),
  requestIdentifier: z.string().optional(),
  name: z.string().nullish(),
  address: z.string().nullish(),
});
type Answer = z.output<typeof Answer>;

/**
 * `reference`: the consultation number, which proves the look-up. It is empty if the look-up names no requester. `refused`:
 * VIES does not look this number up. `unknown`: the register or the member state does not answer. `entry`: the name and the
 * address in the register; empty if the member state does not tell them.
 */
export type LookUpResult =
  { outcome: 'registered'; reference: string; entry: string } | { outcome: 'not_registered' | 'refused' | 'unknown' };

/** Whether a register can be asked. */
export const hasRegister = config.VIES_URL !== undefined;

/** Two letters of the country and the rest, as VIES separates them. */
const split = (number: string) => [number.slice(0, 2), number.slice(2)] as const;

/**
 * Looks a number up. `requester`: the tax number of the merchant; empty if it has none. A requester that VIES does not know is
 * left out. The outcome is `unknown` without VIES_URL.
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
    const found = Answer.parse(await answer.json());
    const isUnknownRequester = found.userError === 'INVALID_REQUESTER_INFO' && requester !== '';
    if (!isUnknownRequester) return outcomeOf(found);
  } catch (error) {
    // Only the name is logged: the address contains the number.
    logger.warn({ reason: error instanceof Error ? error.name : 'unknown' }, 'VIES gave no answer');
    return { outcome: 'unknown' };
  }
  return lookUpTaxNumber(number, '');
}

/** Faults of one request. Any other answer is a fault of VIES or of the member state. */
const refusals = ['INVALID_INPUT', 'INVALID_REQUESTER_INFO'];

function outcomeOf({ userError, requestIdentifier: reference = '', name, address }: Answer): LookUpResult {
  if (userError === 'VALID') return { outcome: 'registered', reference, entry: entryOf([name, address]) };
  if (userError === 'INVALID') return { outcome: 'not_registered' };
  logger.warn({ reason: userError }, 'VIES could not look a tax number up');
  return { outcome: refusals.includes(userError) ? 'refused' : 'unknown' };
}

const entryMax = 500;

/** In one line. A member state that does not tell a part answers with dashes. */
const entryOf = (parts: readonly (string | null | undefined)[]): string =>
  parts
    .flatMap((part) => (part ?? '').split('\n'))
    .map((line) => line.replaceAll(/\p{Cc}+/gu, ' ').trim())
    .filter((line) => !/^-*$/.test(line))
    .join(', ')
    .slice(0, entryMax);
