import { html } from '../../kit/html';
import { debitDaysMax } from '../../kit/paymentMethods';
import { type PageResponse, type PageResponseOptions } from '../../kit/pages/page';
import { lastPlaces } from '../../notifications/notifications';
import { getUndecidedDebits } from '../../subscriptions/charges/processing';
import { type Paywall } from './parts';
import { pendingStage, type Submitted } from './pending';

/** A purchase by direct debit, on which the bank decides within days. The visitor can leave the page. */

/** Whether access waits for the decision of a bank. */
export async function isUndecided({ visit }: Paywall, { of, by }: Submitted): Promise<boolean> {
  if (!visit.caller || by !== 'direct_debit') return false;
  return (await getUndecidedDebits(visit.caller)).some(({ token }) => token === of);
}

/** The undecided purchase of the item, so that a visitor who returns does not buy it a second time. */
export async function findUndecided({ visit, place, item }: Paywall): Promise<Submitted | undefined> {
  if (!visit.caller) return undefined;
  const places = await lastPlaces([item.merchant_id]);
  const debits = await getUndecidedDebits(visit.caller);
  const own = debits.find(({ itemId, isGift }) => itemId === place.item_id && !isGift);
  return own && { of: own.token, after: String(places.get(item.merchant_id) ?? 0), by: 'direct_debit' };
}

/** The page shows the item as soon as the bank has paid, if the visitor is still there. */
export function debitStage(paywall: Paywall, submitted: Submitted, options: PageResponseOptions = {}): PageResponse {
  const { t } = paywall.texts;
  const content = html`<h2 tabindex="-1" data-focus>${t('paywall.debitProcessing')}</h2>
    <p class="quiet" role="status">${t('paywall.debitProcessingHint', { count: debitDaysMax })}</p>`;
  return pendingStage(paywall, submitted, 'processing', content, options);
}
