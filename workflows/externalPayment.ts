import { continueAsNew, log, proxyActivities, sleep } from '@temporalio/workflow';
import { type Activities } from '../activities';
import { type ExternalPaymentInput, type ExternalPaymentResult } from './messages';
import { looksMax, store, storeFirstMs, storeMaxMs } from './policies';
import { show } from './operator';

const { validateExternalPayment } = proxyActivities<Activities>(store);

/**
 * Validates one claim of a store purchase. The request to the store is repeated while the store is unavailable and
 * while the payment is pending.
 */
export async function externalPayment(input: ExternalPaymentInput): Promise<ExternalPaymentResult> {
  const { externalPaymentId } = input;
  const first = input.tries ?? 0;
  for (let tries = first; ; tries += 1) {
    const answer = await validateExternalPayment(externalPaymentId);
    if (answer.outcome === 'settled') {
      show(answer.state, `### Settled\nThe claim ${answer.state}.`);
      return { state: answer.state };
    }
    show(answer.outcome, answer.outcome === 'unpaid' ? '### Not paid yet' : '### The store is not available');
    log.warn('a claim has no answer yet', { outcome: answer.outcome });
    await sleep(backoffMs(tries, answer.retryAfterMs), { summary: 'before asking the store again' });
    // A payment may be pending for weeks, so a new run keeps each history short.
    if (tries - first >= looksMax) await continueAsNew<typeof externalPayment>({ externalPaymentId, tries: tries + 1 });
  }
}

/** Exponential backoff with up to 25% jitter, so that the claims of one outage do not retry together. */
export function backoffMs(tries: number, leastMs: number): number {
  const waitMs = Math.min(storeFirstMs * 2 ** Math.min(tries, 20), storeMaxMs);
  return Math.round(Math.max(waitMs, leastMs) * (1 + Math.random() / 4));
}
