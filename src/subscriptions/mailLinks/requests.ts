import { setTimeout as sleep } from 'node:timers/promises';
import { merchantTime } from '../../adapters/clock';
import { sendNow } from '../../adapters/outbox';
import { transaction } from '../../adapters/postgres/connection';
import { storeRequest } from '../changes/requests';
import { Subscription } from '../subscriptions.model';
import { type LinkKind, readMailLink } from './links';
import { findLinkedSubscription } from './links.model';

/** The subscription behind a link, with the state that the link was made for. Undefined if the link is not valid. */
export async function findLinked(kind: LinkKind, token: string) {
  const link = readMailLink(kind, token);
  if (!link) return undefined;
  const [row, linked] = await Promise.all([
    Subscription.findByPk(link.subscriptionId),
    findLinkedSubscription(link.subscriptionId),
  ]);
  return row && linked && { row, linked, state: link.state, isExpired: link.isExpired };
}

/**
 * Sends a change to the run of the subscription, and waits a moment for the outcome. All requests with the same id have one
 * effect. A link cannot redirect the payer to the bank, so a charge is made as if the payer was absent.
 */
export async function requestByLink(row: Subscription, kind: 'resume' | 'retry', id: string): Promise<void> {
  const { merchantId, accountId } = row;
  const queued = await transaction(async (inTransaction) => {
    const time = await merchantTime(merchantId, inTransaction);
    const actor = { accountId, requestId: id, audited: `subscription.${kind}` } as const;
    return storeRequest(inTransaction, row, { id, ...time, kind, actor });
  });
  await sendNow(queued);
  await untilChanged(row);
}

const waitMs = 5_000;
const pauseMs = 100;

/** Waits until the run has taken a step, so that the page shows the outcome. */
export async function untilChanged({ id, version }: Pick<Subscription, 'id' | 'version'>): Promise<void> {
  for (const givesUpAt = Date.now() + waitMs; Date.now() < givesUpAt; await sleep(pauseMs)) {
    const row = await Subscription.findByPk(id, { attributes: ['version'] });
    if (row?.version !== version) return;
  }
}
