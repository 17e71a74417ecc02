import { refuseClosed } from '../../accounts/merchants/states';
import { toMajor } from '../../billing/money';
import { AppError } from '../../kit/errors';
import { quoteDue } from '../balances/balances';
import { type Subscription } from '../subscriptions.model';
import { findLinked, requestByLink } from './requests';
import { nextCharge } from '../lifecycle/prices';
import { upcomingCharge } from '../lifecycle/upcoming';

/**
 * A link in the mail about a cancellation. It undoes this cancellation without a password, until the paid period ends. It
 * costs nothing. A later cancellation has its own link.
 */

export interface KeptPlan {
  /** `cardless`: the next payment needs a card. `closed`: the link has expired, or the subscription has ended. */
  state: 'canceled' | 'cardless' | 'kept' | 'closed';
  merchantUuid: string;
  description: string;
  /** The next charge, in the major unit. */
  amount: number;
  currency: string;
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
  const { chargeMinor } = await quoteDue(row, await upcomingCharge(row.get(), row.currentPeriodEnd ?? row.createdAt));
  const { currency, currentPeriodEnd: endsAt } = row;
  return { state, merchantUuid, description, amount: toMajor(chargeMinor, currency), currency, endsAt };
}

/** The merchant of a link, for the branding of the page. Undefined if the link is not valid. */
export async function findKeepLinkMerchant(token: string): Promise<string | undefined> {
  return (await find(token))?.linked.merchantUuid;
}

/**
 * Requests that the run of the subscription undoes the cancellation, and waits a moment for it. All requests have one
 * effect. False if there is nothing to undo. Throws `subscription_not_found`.
 */
export async function keepByLink(token: string): Promise<boolean> {
  const found = await find(token);
  if (!found) throw new AppError('subscription_not_found');
  const { row, linked, state, canceledMs } = found;
  await refuseClosed(linked.merchantUuid);
  if (state !== 'canceled') return false;
  await requestByLink(row, 'resume', `keepLink:${row.id}:${canceledMs}`);
  return true;
}

async function find(token: string) {
  const found = await findLinked('keep', token);
  if (!found) return undefined;
  const { row, linked, state: canceledMs, isExpired } = found;
  return { row, linked, canceledMs, state: stateOf(row, canceledMs, isExpired) };
}

function stateOf(row: Subscription, canceledMs: number, isExpired: boolean): KeptPlan['state'] {
  if (row.state !== 'active' && row.state !== 'trialing') return 'closed';
  if (row.autoRenew) return 'kept';
  if (isExpired || row.canceledAt?.getTime() !== canceledMs) return 'closed';
  return row.cardId === null && nextCharge(row) > 0 ? 'cardless' : 'canceled';
}
