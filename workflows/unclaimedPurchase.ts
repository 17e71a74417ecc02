import { continueAsNew, proxyActivities, sleep } from '@temporalio/workflow';
import { type Activities } from '../activities';
import { inBackground } from './background';
import { backoffMs } from './externalPayment';
import { type UnclaimedPurchaseInput } from './messages';
import { show } from './operator';
import { looksMax, store, unclaimedMs } from './policies';

const { adoptStorePurchase } = proxyActivities<Activities>(store);

/**
 * A purchase without a claim, because its app was closed too early or it was made in the store. The account that the
 * store names receives it. The customer then has access, and Google receives the acknowledgement without which it
 * refunds.
 */
export async function unclaimedPurchase(input: UnclaimedPurchaseInput): Promise<void> {
  const first = input.tries ?? 0;
  if (first === 0) await sleep(unclaimedMs, { summary: 'for its app to present it' });
  for (let tries = first; ; tries += 1) {
    const answer = await adoptStorePurchase.executeWithOptions(inBackground(), [input]);
    if (answer.outcome === 'settled')
      return show(
        answer.isAdopted ? 'succeeded' : 'unclaimed',
        answer.isAdopted ? '### Assigned to an account' : '### No account is known',
      );
    show('unavailable', '### The store is not available');
    await sleep(backoffMs(tries, answer.retryAfterMs), { summary: 'before asking the store again' });
    if (tries - first >= looksMax) await continueAsNew<typeof unclaimedPurchase>({ ...input, tries: tries + 1 });
  }
}
