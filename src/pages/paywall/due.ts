import { trialEndpoints } from '../../items/access/trials/endpoints';
import { discountEndpoints } from '../../vouchers/discounts/endpoints';
import { html, type Html } from '../../kit/html';
import { type Fee } from '../customer/fees';
import { attempt } from '../layout/explain';
import { type Texts } from '../layout/texts';
import { type Paywall } from './parts';

/** What is to be paid now, and what is told about it before. Amounts are in the major unit. */

export interface Due {
  fee: Fee;
  /** What the voucher makes of the price. */
  discounted: { firstCharge: number; duration: number } | undefined;
  /** This visitor has had the item's free time already. */
  isTrialGone: boolean;
}

const isSubscription = (fee: Fee) => fee.access_type.name === 'subscription';

/** Taken, not paid: it opens the item for everybody who is registered. */
export const isFreemium = (fee: Fee) => fee.access_type.name === 'freemium';

export async function applyVoucher({ visit, texts }: Paywall, fee: Fee, code: string | undefined) {
  if (code === undefined || code.trim() === '') return {};
  const body = { voucher_code: code, access_fee_id: String(fee.id) };
  const tried = await attempt(texts, () => visit.call(discountEndpoints.getDiscount, { body }));
  if ('refused' in tried) {
    const text = tried.refused.fields['voucher_code'] ?? texts.t('errors.voucher_not_found');
    return { complaint: { message: text, fields: { voucher_code: text } } };
  }
  return { discounted: { firstCharge: tried.done.first_charge, duration: tried.done.discount_duration } };
}

/** Once for everybody (subscriptions 6). A card that had it is known only when it pays: the service refuses then. */
export async function hasUsedTrial({ visit, texts, place }: Paywall, fees: readonly Fee[]): Promise<boolean> {
  if (!fees.some((fee) => fee.trial_period !== null)) return false;
  const params = { id: place.item_id };
  return 'done' in (await attempt(texts, () => visit.call(trialEndpoints.getUsedTrial, { params })));
}

/** Free time that this visitor may still have. */
export const hasTrial = ({ fee, isTrialGone }: Due) => isSubscription(fee) && fee.trial_period !== null && !isTrialGone;

export function dueNow(due: Due): number {
  if (hasTrial(due)) return 0;
  return due.discounted?.firstCharge ?? fullPrice(due.fee);
}

/** Sums of cents are no sums of floats: no currency has more than four decimals. */
const fullPrice = ({ amount, setup_fee: setup }: Fee) => Number((amount + (setup?.fee_amount ?? 0)).toFixed(4));

/** Nothing to pay now, and nothing later: no card is asked for. */
export const isFreeNow = (due: Due) => dueNow(due) === 0 && !isSubscription(due.fee);

/** The fee says what becomes of its free time where no card has come by its end. */
export const needsNoCardYet = (due: Due) => hasTrial(due) && due.fee.trial_end_behaviour !== null;

/** What the page told goes along: who would pay more, or for another fee, is shown it first. */
export function shownFields(due: Due, voucherCode: string | undefined): Html {
  return html`<input type="hidden" name="shown_fee" value="${due.fee.id}" />
    <input type="hidden" name="shown_amount" value="${dueNow(due)}" />
    ${due.discounted ? html`<input type="hidden" name="shown_voucher" value="${voucherCode}" />` : ''}`;
}

export function totalLine({ texts }: Paywall, due: Due): Html {
  const { t, money } = texts;
  const { fee, discounted, isTrialGone } = due;
  const before = html`<s class="quiet"
    ><span class="visually-hidden">${t('paywall.priceBefore')}</span> ${money(fullPrice(fee), fee.currency)}</s
  > `;
  const lasts = discounted && isSubscription(fee) ? durationText(texts, discounted.duration) : '';
  const isLost = isTrialGone && isSubscription(fee) && fee.trial_period !== null;
  return html`${isLost ? html`<p class="alert warn" role="note">${t('paywall.trialGone')}</p>` : ''}
    <div class="total row spread" role="status">
      <span class="strong">${t('paywall.dueNow')}</span>
      <span class="amount total-amount">
        ${discounted && !hasTrial(due) ? before : ''}<strong>${money(dueNow(due), fee.currency)}</strong>
      </span>
      ${lasts === '' ? '' : html`<span class="quiet small">${lasts}</span>`}
    </div>`;
}

const durationText = ({ t }: Texts, count: number) =>
  count === 0 ? t('paywall.discountForEver') : t('paywall.discountFor', { count });
