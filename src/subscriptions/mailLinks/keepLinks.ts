import { refuseClosed } from '../../accounts/merchants/states';
import { merchantTime } from '../../adapters/clock';
import { sendNow } from '../../adapters/outbox';
import { transaction } from '../../adapters/postgres/connection';
import { formatAmount } from '../../billing/money';
import { AppError } from '../../kit/errors';
import { quoteDue } from '../balances/balances';
import { enqueueChange } from '../changes/requests';
import { nextCharge } from '../lifecycle/periods';
import { Subscription } from '../subscriptions.model';
import { readMailLink, untilChanged } from './links';
import { findLinkedSubscription } from './links.model';

/**
 * A link in the mail about a cancellation. It takes this cancellation back without a password, until the paid period
 * ends. It costs nothing, and a later cancellation needs its own link.
 */

export interface KeptPlan {
  /** `cardless`: the next payment needs a card. `closed`: the link has expired, or the subscription has ended. */
  state: 'canceled' | 'cardless' | 'kept' | 'closed';
  merchantUuid: string;
  description: string;
  /** The next charge, with its currency. */
  amount: string;
  /** The end of the paid period. */
  endsAt: Date | null;
}

/** The plan behind a link; undefined if the link is not valid. Throws `merchant_not_open`. */
export async function findKeptPlan(token: string): Promise<KeptPlan | undefined> {
  const found = await find(token);
  if (!found) return undefined;
  const { row, linked, state } = found;
  await refuseClosed(linked.merchantUuid);
  const { merchantUuid, description } = linked;
  const { chargeMinor } = await quoteDue(row, nextCharge(row));
  const amount = formatAmount(chargeMinor, row.currency);
  return { state, merchantUuid, description, amount, endsAt: row.currentPeriodEnd };
}

/** The merchant of a link, for the branding of the page. Undefined if the link is not valid. */
export async function findKeepLinkMerchant(token: string): Promise<string | undefined> {
  return (await find(token))?.linked.merchantUuid;
}

/**
 * Requests that the run of the subscription takes the cancellation back, and waits a moment for it. All requests have one
 * effect. False if there is nothing to take back. Throws `subscription_not_found`.
 */
export async function keepByLink(token: string): Promise<boolean> {
  const found = await find(token);
  if (!found) throw new AppError('subscription_not_found');
  const { row, linked, state, canceledMs } = found;
  await refuseClosed(linked.merchantUuid);
  if (state !== 'canceled') return false;
  const { merchantId, accountId } = row;
  const id = `keepLink:${row.id}:${canceledMs}`;
  const queued = await transaction(async (inTransaction) => {
    const time = await merchantTime(merchantId, inTransaction);
    const actor = { accountId, requestId: id, audited: 'subscription.resume' } as const;
    return enqueueChange(inTransaction, row, { id, ...time, kind: 'resume', actor });
  });
  await sendNow(queued);
  await untilChanged(row);
  return true;
}

async function find(token: string) {
  const link = readMailLink('keep', token);
  if (!link) return undefined;
  const { subscriptionId, state: canceledMs, isExpired } = link;
  const [row, linked] = await Promise.all([
    Subscription.findByPk(subscriptionId),
    findLinkedSubscription(subscriptionId),
  ]);
  return row && linked && { row, linked, canceledMs, state: stateOf(row, canceledMs, isExpired) };
}

function stateOf(row: Subscription, canceledMs: number, isExpired: boolean): KeptPlan['state'] {
  if (row.state !== 'active' && row.state !== 'trialing') return 'closed';
  if (row.autoRenew) return 'kept';
  if (isExpired || row.canceledAt?.getTime() !== canceledMs) return 'closed';
  return row.cardId === null && nextCharge(row) > 0 ? 'cardless' : 'canceled';
}
