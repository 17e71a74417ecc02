import { continueAsNew, proxyActivities, sleep } from '@temporalio/workflow';
import { type Activities } from '../activities';
import { backoffMs } from './externalPayment';
import { type UnclaimedPurchaseInput } from './messages';
import { show } from './operator';
import { looksMax, store, unclaimedMs } from './policies';

const { adoptStorePurchase } = proxyActivities<Activities>(store);

/**
 * A purchase that nobody presents: its app was closed too early, or it was bought in the store itself. Whom its store
 * names gets it, so that it is served, and Google hears so before it gives the money back.
 */
export async function unclaimedPurchase(input: UnclaimedPurchaseInput): Promise<void> {
  const first = input.tries ?? 0;
  if (first === 0) await sleep(unclaimedMs, { summary: 'for its app to present it' });
  for (let tries = first; ; tries += 1) {
    const answer = await adoptStorePurchase(input);
    if (answer.outcome === 'settled')
      return show(
        answer.isAdopted ? 'succeeded' : 'unclaimed',
        answer.isAdopted ? '### Served' : '### Nobody knows whose',
      );
    show('unavailable', '### The store is away');
    await sleep(backoffMs(tries, answer.retryAfterMs), { summary: 'before asking the store again' });
    if (tries - first >= looksMax) await continueAsNew<typeof unclaimedPurchase>({ ...input, tries: tries + 1 });
  }
}
