import { refuseClosed } from '../../accounts/merchants/states';
import { type Transaction } from '../../adapters/postgres/connection';
import { baseUrl } from '../../adapters/settings';
import { Answer } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { validate } from '../../kit/validate';
import { DefaultCardBody } from '../cards.schemas';
import { lockSubscription } from '../lifecycle/steps';
import { getCardEntry, type CardEntry } from '../paymentForm';
import { continueDefaultCard, setDefaultCard } from '../setups/defaultCards';
import { liveStates, type Subscription } from '../subscriptions.model';
import { type LinkedSubscription } from './links.model';
import { findLinked, untilChanged } from './requests';

/**
 * A link in the mails about a card that expires or was declined. Its page takes another card without a password, also for
 * the customer's other subscriptions in the currency. The link ends once another card is saved for the subscription.
 */

export interface LinkedCard extends Pick<LinkedSubscription, 'merchantUuid' | 'description' | 'method' | 'cardDigits'> {
  /** `closed`: the link has expired, or the subscription has ended. */
  state: 'open' | 'changed' | 'closed';
  currency: string;
  /** Whether the new card also pays an amount that is overdue. */
  isOverdue: boolean;
  entry: CardEntry;
}

/** The card behind a link; undefined if the link is not valid. Throws `merchant_not_open`. */
export async function findLinkedCard(token: string): Promise<LinkedCard | undefined> {
  const found = await find(token);
  if (!found) return undefined;
  const { row, linked, state } = found;
  await refuseClosed(linked.merchantUuid);
  const entry = await getCardEntry(row.merchantId);
  const { currency, pastDueAt } = row;
  return { ...linked, state, currency, isOverdue: pastDueAt !== null, entry };
}

/** The merchant of a link, for the branding of the page. Undefined if the link is not valid. */
export async function findCardLinkMerchant(token: string): Promise<string | undefined> {
  return (await find(token))?.linked.merchantUuid;
}

/**
 * Saves the card and uses it from now on. An overdue amount is charged immediately. Returns the page where the bank asks
 * the payer for an authentication; undefined if it asks for none, or if the link is no longer open. Of two cards that are
 * sent at the same time, one is saved.
 */
export async function changeCardByLink(
  token: string,
  card: Record<string, string | undefined>,
  requestId: string,
): Promise<string | undefined> {
  const { row, owner, state, cardId } = await getOpen(token);
  if (state !== 'open') return undefined;
  const returnUrl = `${baseUrl}/payments/card/${token}`;
  const input = validate(DefaultCardBody, { ...card, currency_iso: row.currency, return_url: returnUrl });
  try {
    const saved = await setDefaultCard(owner, input, requestId, (inTransaction) =>
      claim(inTransaction, row.id, cardId),
    );
    if (saved instanceof Answer) return saved.body.redirect_to_url;
    await untilChanged(row);
  } catch (error) {
    if (!(error instanceof UsedLinkError)) throw error;
  }
  return undefined;
}

class UsedLinkError extends Error {}

/** Locks the subscription, so that one request uses the link. */
async function claim(inTransaction: Transaction, subscriptionId: number, cardId: number): Promise<void> {
  const row = await lockSubscription(subscriptionId, inTransaction);
  if (stateOf(row, cardId, false) !== 'open') throw new UsedLinkError();
}

/** Uses the card after its payer has answered the bank. Throws `payment_failed` if the bank refuses it. */
export async function continueCardByLink(token: string, reference: string, requestId: string): Promise<void> {
  const { row, owner, state } = await getOpen(token);
  if (state !== 'open') return;
  const answer = await continueDefaultCard(owner, reference, requestId);
  if (!(answer instanceof Answer)) await untilChanged(row);
}

async function getOpen(token: string) {
  const found = await find(token);
  if (!found) throw new AppError('payment_not_found');
  const { row, linked, state, cardId } = found;
  await refuseClosed(linked.merchantUuid);
  const { merchantId, accountId } = row;
  return { row, state, cardId, owner: { merchantId, accountId, accountUuid: linked.accountUuid } };
}

async function find(token: string) {
  const found = await findLinked('card', token);
  if (!found) return undefined;
  const { row, linked, state: cardId, isExpired } = found;
  return { row, linked, cardId, state: stateOf(row, cardId, isExpired) };
}

/** `changed`: another card pays, or waits for the run. */
function stateOf(row: Subscription, cardId: number, isExpired: boolean): LinkedCard['state'] {
  if (isExpired || !liveStates.some((state) => state === row.state)) return 'closed';
  const isReplaced = row.cardId !== null && row.cardId !== cardId;
  return isReplaced || row.requests.some(({ kind }) => kind === 'useCard') ? 'changed' : 'open';
}
