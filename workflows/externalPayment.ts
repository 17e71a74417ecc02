import { continueAsNew, log, proxyActivities, sleep } from '@temporalio/workflow';
import { type Activities } from '../activities';
import { type ExternalPaymentInput, type ExternalPaymentResult } from './messages';
import { looksMax, store, storeFirstMs, storeMaxMs } from './policies';
import { show } from './operator';

const { validateExternalPayment } = proxyActivities<Activities>(store);

/** One claim of a store purchase, to its outcome: asked for as long as the store is away, and as long as it waits for money. */
export async function externalPayment(input: ExternalPaymentInput): Promise<ExternalPaymentResult> {
  const { externalPaymentId } = input;
  const first = input.tries ?? 0;
  for (let tries = first; ; tries += 1) {
    const answer = await validateExternalPayment(externalPaymentId);
    if (answer.outcome === 'settled') {
      show(answer.state, `### Settled\nThe claim ${answer.state}.`);
      return { state: answer.state };
    }
    show(answer.outcome, answer.outcome === 'unpaid' ? '### Not paid yet' : '### The store is away');
    log.warn('a claim has no answer yet', { outcome: answer.outcome });
    await sleep(backoffMs(tries, answer.retryAfterMs), { summary: 'before asking the store again' });
    // What waits for money for weeks goes on as a new run, so that no history grows too long.
    if (tries - first >= looksMax) await continueAsNew<typeof externalPayment>({ externalPaymentId, tries: tries + 1 });
  }
}

/** Doubling, spread over a quarter so that claims of one outage do not return together. */
export function backoffMs(tries: number, leastMs: number): number {
  const waitMs = Math.min(storeFirstMs * 2 ** Math.min(tries, 20), storeMaxMs);
  return Math.round(Math.max(waitMs, leastMs) * (1 + Math.random() / 4));
}
