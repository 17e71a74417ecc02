import { patched, proxyActivities, sleep } from '@temporalio/workflow';
import { type Activities } from '../activities';
import { type AccountOperationInput } from './messages';
import { accountData, endingFirstMs, endingMaxMs } from './policies';
import { show } from './operator';

const { endSubscriptions, giveBackCharges, revokeAccesses, forgetCards, leaveChats, wipeAccount, destroyKey } =
  proxyActivities<Activities>(accountData);

/**
 * One erasure, in an order that loses no money and leaves no trace: nothing of the account is charged any more when it
 * begins; its subscriptions end by their own workflows; what was charged meanwhile goes back; access goes; the provider
 * forgets the cards and the live chat its member; then the database does, and says so. A subscription that slipped in
 * meanwhile leads back to the first step. Last goes the key of what its workflows have left behind.
 */
export async function eraseAccount({ operationId }: AccountOperationInput): Promise<void> {
  for (;;) {
    await endAllSubscriptions(operationId);
    show(
      'forgetting',
      '### Forgetting\nAccess is revoked, then the provider forgets the cards, then the database the rest.',
    );
    if (patched('charges and chats')) await giveBackCharges(operationId);
    await revokeAccesses(operationId);
    await forgetCards(operationId);
    if (patched('charges and chats')) await leaveChats(operationId);
    const { isWiped } = await wipeAccount(operationId);
    if (isWiped) break;
  }
  if (patched('destroyed-key')) await untilNoneIsLeft('workflows', () => destroyKey(operationId));
  show('done', '### Erased\nThe row that is left names nobody, and nobody can read what its workflows said.');
}

async function endAllSubscriptions(operationId: number): Promise<void> {
  show('ending_subscriptions', '### Ending subscriptions\nEach ends by its own workflow, which is told.');
  await untilNoneIsLeft('subscriptions', () => endSubscriptions(operationId));
}

async function untilNoneIsLeft(what: string, step: () => Promise<{ left: number }>): Promise<void> {
  for (let waitMs = endingFirstMs; ; waitMs = Math.min(waitMs * 2, endingMaxMs)) {
    const { left } = await step();
    if (left === 0) return;
    await sleep(waitMs, { summary: `${left} ${what} have not ended yet` });
  }
}
