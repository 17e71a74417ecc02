import { proxyActivities, sleep } from '@temporalio/workflow';
import { type Activities } from '../activities';
import { type AccountOperationInput } from './messages';
import { accountData, endingFirstMs, endingMaxMs } from './policies';
import { show } from './operator';

const { endSubscriptions, giveBackCharges, revokeAccesses, forgetCards, leaveChats, wipeAccount, destroyKey } =
  proxyActivities<Activities>(accountData);

/**
 * Erases an account. The order of the steps loses no money and leaves no personal data. No new charge begins.
 * Subscriptions end by their own workflows. Charges made in the meantime are refunded. Access is revoked. The provider
 * deletes the cards, and the live chat deletes its member. The database deletes the account's data and publishes an
 * event. If a subscription was created in the meantime, the erasure starts again. Finally, the key of its workflows'
 * payloads is destroyed.
 */
export async function eraseAccount({ operationId }: AccountOperationInput): Promise<void> {
  for (;;) {
    await endAllSubscriptions(operationId);
    show(
      'forgetting',
      '### Deleting data\nAccess is revoked, the provider deletes the cards, then the database deletes the account’s data.',
    );
    await giveBackCharges(operationId);
    await revokeAccesses(operationId);
    await forgetCards(operationId);
    await leaveChats(operationId);
    const { isWiped } = await wipeAccount(operationId);
    if (isWiped) break;
  }
  await untilNoneIsLeft('workflows', () => destroyKey(operationId));
  show(
    'done',
    '### Erased\nThe remaining row has no personal data, and the payloads of its workflows cannot be decrypted any more.',
  );
}

async function endAllSubscriptions(operationId: number): Promise<void> {
  show('ending_subscriptions', '### Ending subscriptions\nEach ends by its own workflow.');
  await untilNoneIsLeft('subscriptions', () => endSubscriptions(operationId));
}

async function untilNoneIsLeft(what: string, step: () => Promise<{ left: number }>): Promise<void> {
  for (let waitMs = endingFirstMs; ; waitMs = Math.min(waitMs * 2, endingMaxMs)) {
    const { left } = await step();
    if (left === 0) return;
    await sleep(waitMs, { summary: `${left} ${what} have not ended yet` });
  }
}
