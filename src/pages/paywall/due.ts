import { trialEndpoints } from '../../entitlements/trials.endpoints';
import { quotePrice } from '../../subscriptions/balances/balances';
import { discountEndpoints } from '../../vouchers/discounts.endpoints';
import { html, type Html } from '../../kit/html';
import { withShownPrices } from '../../tax/shownPrices';
import { taxQuoteEndpoints } from '../../tax/taxQuotes.endpoints';
import { untaxedText } from '../customer/billing';
import { asShown, type Fee, type ShownFee } from '../customer/fees';
import { type AnswerOf } from '../layout/answers';
import { attempt, attemptToPay, type Complaint } from '../layout/explain';
import { type Texts } from '../layout/texts';
import { type Paywall } from './parts';

/** The amount that is due now, and its explanation. Amounts are in the major unit. */

export interface AmountDue {
  fee: Fee;
  /** The price with the voucher. */
  discounted: { firstCharge: number; duration: number } | undefined;
  /** Whether the visitor has already used the trial of the item. */
  isTrialGone: boolean;
  /** The amount to charge after the customer's balance: a credit reduces it, a debt increases it. */
  charged?: number;
  /** The tax within what is due now, or of the price to which it is added; undefined if the merchant has named no seller. */
  tax?: Tax | undefined;
}

type Tax = AnswerOf<typeof taxQuoteEndpoints.getTaxQuote>;

const isSubscription = (fee: Fee) => fee.access_type.name === 'subscription';

/** A freemium fee opens the item for every registered visitor, without a payment. */
export const isFreemium = (fee: Fee) => fee.access_type.name === 'freemium';

export async function applyVoucher({ visit, texts }: Paywall, fee: Fee, code: string | undefined) {
  if (code === undefined || code.trim() === '') return {};
  const body = { voucher_code: code, access_fee_id: String(fee.id) };
  const outcome = await attempt(texts, () => visit.call(discountEndpoints.getDiscount, { body }));
  if ('refused' in outcome) {
    // The discounted price has no total yet: the address does not say where the tax is due.
    const { fields } = outcome.refused;
    if (fields['postal_code'] !== undefined || fields['region'] !== undefined)
      return { complaint: ofAddress(outcome.refused) };
    const text = fields['voucher_code'] ?? texts.t('errors.voucher_not_found');
    return { complaint: { message: text, fields: { voucher_code: text } } };
  }
  const { first_charge, first_net_amount: firstCharge = first_charge, discount_duration: duration } = outcome.done;
  return { discounted: { firstCharge, duration } };
}

/**
 * Each customer has one trial. The service checks at the purchase whether the card has had a trial, and refuses the
 * purchase if so.
 */
export async function hasUsedTrial({ visit, texts, place }: Paywall, fees: readonly Fee[]): Promise<boolean> {
  if (!fees.some((fee) => fee.trial_period !== null)) return false;
  const params = { id: place.item_id };
  return 'done' in (await attempt(texts, () => visit.call(trialEndpoints.getUsedTrial, { params })));
}

/** Whether the visitor still has a trial. */
export const hasTrial = ({ fee, isTrialGone }: AmountDue) =>
  isSubscription(fee) && fee.trial_period !== null && !isTrialGone;

export function dueNow(due: AmountDue): number {
  return hasTrial(due) ? 0 : (due.charged ?? totalOf(due));
}

/** Whether the tax is added to the price. */
export const addsTax = ({ fee }: AmountDue) => fee.tax_behavior !== undefined;

/** The price with its tax, before the balance. */
const totalOf = (due: AmountDue) => (addsTax(due) ? due.tax?.amount : undefined) ?? priceNow(due);

const priceNow = ({ discounted, fee }: AmountDue) => discounted?.firstCharge ?? fullPrice(fee);

/** What is due for a price, with its tax and the customer's balance. */
export async function dueFor(paywall: Paywall, price: AmountDue): Promise<AmountDue> {
  // The balance is money with tax.
  if (addsTax(price)) return withBalance(paywall, await withTax(paywall, price));
  return withTax(paywall, await withBalance(paywall, price));
}

/** The same price, with the customer's balance applied. */
async function withBalance({ visit }: Paywall, due: AmountDue): Promise<AmountDue> {
  const { caller } = visit;
  if (!caller || hasTrial(due) || isFreemium(due.fee)) return due;
  const { currency } = due.fee;
  const charged = await quotePrice({ accountId: caller.accountId, currency }, totalOf(due));
  return charged === totalOf(due) ? due : { ...due, charged };
}

/** What is wrong with the billing address, by the names of the form. */
export function ofAddress({ message, fields: { postal_code: code, region, ...others } }: Complaint): Complaint {
  const fields = {
    ...others,
    ...(code !== undefined && { billing_postal_code: code }),
    ...(region !== undefined && { billing_region: region }),
  };
  return { message, fields };
}

/**
 * The same price, with the tax within it or with the tax that is added to it. While the tax is not known, the price is shown
 * alone: the purchase asks again, and is refused without a total.
 */
async function withTax({ visit, texts }: Paywall, due: AmountDue): Promise<AmountDue> {
  if (isFreemium(due.fee)) return due;
  const sent = { params: { access_fee_id: due.fee.id }, query: { amount: String(dueNow(due)) } };
  const tried = await attemptToPay(texts, () => visit.call(taxQuoteEndpoints.getTaxQuote, sent));
  return 'done' in tried && tried.done.has_tax ? { ...due, tax: tried.done } : due;
}

const fullPrice = ({ amount, setup_fee: setup }: Pick<ShownFee, 'amount' | 'setup_fee'>) =>
  exact(amount + (setup?.fee_amount ?? 0));

/** The sum of prices without binary rounding errors. No currency has more than four decimals. */
const exact = (sum: number) => Number(sum.toFixed(4));

/** Whether the purchase needs no card, because it has no payment now or later. */
export const isFreeNow = (due: AmountDue) => dueNow(due) === 0 && !isSubscription(due.fee);

/** Whether the trial can start without a card. The fee defines how such a trial ends. */
export const needsNoCardYet = (due: AmountDue) => hasTrial(due) && due.fee.trial_end_behaviour !== null;

/**
 * The form sends back the shown fee and amount. If the price has changed since, the new one is shown before the charge.
 */
export function shownFields(due: AmountDue, voucherCode: string | undefined): Html {
  return html`<input type="hidden" name="shown_fee" value="${due.fee.id}" />
    <input type="hidden" name="shown_amount" value="${dueNow(due)}" />
    <input type="hidden" name="shown_currency" value="${due.fee.currency}" />
    ${due.discounted ? html`<input type="hidden" name="shown_voucher" value="${voucherCode}" />` : ''}`;
}

/** The address and the card of the account also decide the form of the prices. */
export const shownFees = ({ visit }: Paywall, fees: readonly Fee[]): Promise<readonly Fee[]> =>
  visit.caller ? withShownPrices(visit.caller, fees) : Promise.resolve(fees);

export function totalLine({ texts }: Paywall, due: AmountDue): Html {
  const { t, money } = texts;
  const { fee, discounted, isTrialGone } = due;
  const before = discounted && !hasTrial(due) ? priceBefore(due) : undefined;
  const struck = (amount: number) =>
    html`<s class="quiet"
      ><span class="visually-hidden">${t('paywall.priceBefore')}</span> ${money(amount, fee.currency)}</s
    > `;
  const lasts = discounted && isSubscription(fee) ? durationText(texts, discounted.duration) : '';
  const isTrialMissing = isTrialGone && isSubscription(fee) && fee.trial_period !== null;
  return html`${isTrialMissing ? html`<p class="alert warn" role="note">${t('paywall.trialGone')}</p>` : ''}
    ${taxLines(texts, due)} ${balanceLine(texts, due)}
    <div class="total row spread" role="status">
      <span class="strong">${t('paywall.dueNow')}</span>
      <span class="amount total-amount">
        ${before === undefined ? '' : struck(before)}<strong>${money(dueNow(due), fee.currency)}</strong>
      </span>
      ${lasts === '' ? '' : html`<span class="quiet small">${lasts}</span>`} ${taxText(texts, due)}
    </div>`;
}

/** The price before the voucher. It is absent if its form is not that of the total beside it. */
function priceBefore(due: AmountDue): number | undefined {
  if (isShownInLines(due)) return undefined;
  if (!addsTax(due)) return fullPrice(due.fee);
  const shown = asShown(due.fee);
  const isWithTax = shown.tax_behavior === undefined;
  return isWithTax === (due.tax?.shown_with_tax ?? false) ? fullPrice(shown) : undefined;
}

/**
 * Whether the price without tax is shown, with the tax below it. A balance is settled with the total. An added tax then has a line
 * of its own, and a tax within the price is that of the remaining amount.
 */
function isShownInLines(due: AmountDue): boolean {
  if (due.tax?.tax_amount === 0) return false;
  const isShownNet = due.tax?.shown_with_tax === false;
  const hasBalance = due.charged !== undefined;
  return addsTax(due) ? isShownNet || hasBalance : isShownNet && !hasBalance;
}

/** The price without tax, and the tax. With a balance also their sum, because the amount due differs from it. */
function taxLines({ t, money, percent }: Texts, due: AmountDue): Html {
  const { tax, fee } = due;
  if (!tax || !isShownInLines(due) || hasTrial(due)) return html``;
  const line = (name: string, amount: number) =>
    html`<div class="row spread">
      <dt>${name}</dt>
      <dd class="amount">${money(amount, fee.currency)}</dd>
    </div>`;
  return html`<dl class="lines">
    ${line(t('billing.net'), tax.net_amount)}
    ${line(t('billing.addedTax', { rate: percent(tax.tax_rate) }), tax.tax_amount)}
    ${due.charged === undefined ? '' : line(t('billing.gross'), tax.amount)}
  </dl>`;
}

/** The tax within the total, or why a business has none. */
function taxText(texts: Texts, due: AmountDue): Html {
  const { t, money, percent } = texts;
  const { tax, fee } = due;
  if (!tax || dueNow(due) === 0) return html``;
  const small = (text: string) => html`<span class="quiet small">${text}</span>`;
  const untaxed = untaxedText(texts, tax.treatment);
  if (untaxed !== undefined) return small(untaxed);
  if (tax.tax_amount === 0 || isShownInLines(due)) return html``;
  const values = { amount: money(tax.tax_amount, fee.currency), rate: percent(tax.tax_rate) };
  return small(t('billing.taxWithin', values));
}

/** The reason why the charge differs from the price. */
function balanceLine({ t, money }: Texts, due: AmountDue): Html {
  if (due.charged === undefined || hasTrial(due)) return html``;
  const difference = exact(totalOf(due) - due.charged);
  const amount = money(Math.abs(difference), due.fee.currency);
  const text = difference > 0 ? 'paywall.creditUsed' : 'paywall.debtAdded';
  return html`<p class="quiet small" role="note">${t(text, { amount })}</p>`;
}

const durationText = ({ t }: Texts, count: number) =>
  count === 0 ? t('paywall.discountForEver') : t('paywall.discountFor', { count });
