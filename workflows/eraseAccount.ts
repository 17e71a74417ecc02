import { proxyActivities, sleep } from '@temporalio/workflow';
import { type Activities } from '../activities';
import { type AccountOperationInput } from './messages';
import { accountData, endingFirstMs, endingMaxMs } from './policies';
import { show } from './operator';

const { endSubscriptions, revokeAccesses, forgetCards, wipeAccount } = proxyActivities<Activities>(accountData);

/**
 * One erasure, in an order that loses no money and leaves no trace: nothing of the account is charged any more when it
 * begins; its subscriptions end by their own workflows; access goes; the provider forgets the cards; then the database
 * does, and says so. A subscription that slipped in meanwhile leads back to the first step.
 */
export async function eraseAccount({ operationId }: AccountOperationInput): Promise<void> {
  for (;;) {
    await endAllSubscriptions(operationId);
    show(
      'forgetting',
      '### Forgetting\nAccess is revoked, then the provider forgets the cards, then the database the rest.',
    );
    await revokeAccesses(operationId);
    await forgetCards(operationId);
    const { isWiped } = await wipeAccount(operationId);
    if (isWiped) return show('done', '### Erased\nThe row that is left names nobody.');
  }
}

async function endAllSubscriptions(operationId: number): Promise<void> {
  show('ending_subscriptions', '### Ending subscriptions\nEach ends by its own workflow, which is told.');
  for (let waitMs = endingFirstMs; ; waitMs = Math.min(waitMs * 2, endingMaxMs)) {
    const { left } = await endSubscriptions(operationId);
    if (left === 0) return;
    await sleep(waitMs, { summary: `${left} subscriptions have not ended yet` });
  }
}
