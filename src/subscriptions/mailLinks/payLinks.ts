import { toMajor } from '../../billing/money';
import { AppError } from '../../kit/errors';
import { quoteDue } from '../balances/balances';
import { confirmationUrl } from '../charges/links';
import { Subscription } from '../subscriptions.model';
import { readMailLink } from './links';
import { findLinkedPayment, type LinkedPayment } from './payLinks.model';
import { requestByLink } from './requests';

/**
 * A link in the mails about a failed renewal. It charges the saved card or another saved method without a password, for
 * one billing cycle. A visit of the link charges nothing, and a cycle is paid once at most.
 */

export interface OwedPayment extends Pick<LinkedPayment, 'merchantUuid' | 'description' | 'method' | 'cardDigits'> {
  /** `closed`: the link has expired, or the subscription owes nothing for the cycle. */
  state: 'owed' | 'processing' | 'confirm' | 'paid' | 'closed';
  /** In the major unit. */
  amount: number;
  currency: string;
  /** The last decline: its reason, and what the bank says in English. Both are empty without a decline. */
  declineReason: string;
  declined: string;
  /** The page where the payer confirms a charge that waits; otherwise undefined. */
  confirmUrl: string | undefined;
}

/** The payment behind a link; undefined if the link is not valid. */
export async function findOwedPayment(token: string): Promise<OwedPayment | undefined> {
  const found = await find(token);
  if (!found) return undefined;
  const { row, payment, isOver, cycle } = found;
  const { chargeMinor } = await quoteDue(row, row.dueMinor);
  const state = isOver && payment.chargeStatus !== 'paid' ? 'closed' : stateOf(row, payment, cycle);
  return {
    state,
    merchantUuid: payment.merchantUuid,
    description: payment.description,
    amount: toMajor(chargeMinor, row.currency),
    currency: row.currency,
    method: payment.method,
    cardDigits: payment.cardDigits,
    declineReason: payment.declineReason ?? '',
    declined: payment.declineMessage ?? '',
    confirmUrl: state === 'confirm' && payment.chargeId !== null ? confirmationUrl(payment.chargeId) : undefined,
  };
}

/** The merchant of a link, for the branding of the page. Undefined if the link is not valid. */
export async function findPayLinkMerchant(token: string): Promise<string | undefined> {
  return (await find(token))?.payment.merchantUuid;
}

/**
 * Requests that the run of the subscription charges the saved method, and waits a moment for the outcome. All requests
 * for the same attempt have one effect. False if nothing is owed, or nothing is saved. Throws `payment_not_found`.
 */
export async function payByLink(token: string): Promise<boolean> {
  const found = await find(token);
  if (!found) throw new AppError('payment_not_found');
  const { row, payment, isOver, cycle } = found;
  if (isOver || stateOf(row, payment, cycle) !== 'owed' || payment.method === null) return false;
  await requestByLink(row, 'retry', `mailLink:${row.id}:${cycle}:${row.attempt}`);
  return true;
}

function stateOf(row: Subscription, { chargeStatus }: LinkedPayment, cycle: number): OwedPayment['state'] {
  if (chargeStatus === 'paid') return 'paid';
  const isOwed = row.cycle === cycle && row.pastDueAt !== null && ['past_due', 'on_hold'].includes(row.state);
  if (!isOwed) return 'closed';
  if (chargeStatus === 'open' || chargeStatus === 'processing') return 'processing';
  return chargeStatus === 'requires_action' ? 'confirm' : 'owed';
}

async function find(token: string) {
  const link = readMailLink('pay', token);
  if (!link) return undefined;
  const { subscriptionId, state: cycle, isExpired: isOver } = link;
  const [row, payment] = await Promise.all([
    Subscription.findByPk(subscriptionId),
    findLinkedPayment(subscriptionId, cycle),
  ]);
  return row && payment && { row, payment, cycle, isOver };
}
