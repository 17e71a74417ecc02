import { subscriptionEndpoints } from '../../subscriptions/subscriptions.endpoints';
import { mandateEndpoints } from '../../subscriptions/methods/mandates.endpoints';
import { paymentEndpoints } from '../../subscriptions/payments/payments.endpoints';
import { lastPlaces } from '../../notifications/notifications';
import { grantEndpoints } from '../../customers/grants.endpoints';
import { findRedirectName } from '../../kit/paymentMethods';
import { PageResponse } from '../../kit/pages/page';
import { billingDetailsEndpoints } from '../../tax/billingDetails.endpoints';
import { taxQuoteEndpoints } from '../../tax/taxQuotes.endpoints';
import { saveBilling } from '../customer/billing';
import { accountComplaint, accountOf, type AccountForm } from '../customer/bankAccounts';
import { cardOf, type CardForm } from '../customer/cards';
import { type Fee } from '../customer/fees';
import { regionsOf } from '../customer/regions';
import { attemptToPay, type Complaint } from '../layout/explain';
import { checkoutStage, type Choice } from './checkout';
import { isFreemium, ofAddress } from './due';
import { waitingStage } from './following';
import { type Paywall } from './parts';
import { pinStage } from './pin';
import { contentStage } from './stages';
import { count } from './visits';

export interface PurchaseForm extends Choice, CardForm, AccountForm {
  do?: string | undefined;
  /** The fee, the amount and the voucher that the page showed. */
  shown_fee?: string | undefined;
  shown_amount?: string | undefined;
  shown_currency?: string | undefined;
  shown_voucher?: string | undefined;
}

/** Submits the purchase. The page reads its outcome from the events. */
export async function buy(paywall: Paywall, sent: PurchaseForm): Promise<PageResponse> {
  const { visit, texts, fees, item } = paywall;
  const fee = fees.find(({ id }) => String(id) === sent.fee);
  if (!fee || isForVoucher(sent)) return checkoutStage(paywall, sent);
  if (sent.shown_fee !== undefined && sent.shown_fee !== sent.fee) {
    const complaint = { message: texts.t('errors.price_changed'), fields: {} };
    return checkoutStage(paywall, sent, { complaint }, { status: 409 });
  }
  if (isFreemium(fee)) return takeFreemium(paywall);
  const wrong = (await findMissingRegion(paywall, fee, sent)) ?? (await saveBilling(visit, texts, sent));
  if (wrong) return checkoutStage(paywall, sent, { complaint: wrong });
  const means = await readMeans(paywall, sent);
  if (means instanceof PageResponse) return means;
  const places = await lastPlaces([item.merchant_id]);
  const isSubscription = fee.access_type.name === 'subscription';
  const shown = { expected_amount: sent.shown_amount, expected_currency: sent.shown_currency };
  const body = { ...means, ...shown, access_fee: String(fee.id), voucher_code: sent.voucher_code };
  const gift = sent.gift === 'true' ? { is_gift: 'true', receiver_email: sent.receiver_email } : {};
  const outcome = await attemptToPay(texts, async () =>
    isSubscription
      ? (await visit.callOnce(subscriptionEndpoints.createSubscription, { body })).subscription_id
      : (await visit.callOnce(paymentEndpoints.createPayment, { body: { ...body, ...gift } })).transaction,
  );
  if ('refused' in outcome) {
    if (outcome.error.code === 'card_confirmation_required')
      return pinStage(paywall, { why: texts.t('paywall.pinForCard') }, { status: 409 });
    if (outcome.error.code === 'price_changed')
      return checkoutStage(paywall, { ...sent, trial_gone: 'true' }, { complaint: outcome.refused }, { status: 409 });
    const { fields } = ofAddress(outcome.refused);
    const named = outcome.error.code === 'voucher_not_found' ? { voucher_code: outcome.refused.message } : fields;
    const status = outcome.error.code === 'service_unavailable' ? 503 : undefined;
    // The mandate is stored, so the next attempt does not need the bank account again.
    const choice = means.payment_method === 'direct_debit' ? { ...sent, card: 'debit' } : sent;
    return checkoutStage(paywall, choice, { complaint: { ...outcome.refused, fields: named } }, status && { status });
  }
  const after = String(places.get(item.merchant_id) ?? 0);
  const { gift: isGift, fee: feeId, voucher_code } = sent;
  return waitingStage(paywall, {
    of: outcome.done,
    after,
    gift: isGift,
    fee: feeId,
    voucher_code,
    by: means.payment_method,
  });
}

/**
 * The tax that is added to a price follows the region in some countries, so the region is known before the payment. Without
 * an address, the country is the one that decides the tax, such as that of the network address.
 */
async function findMissingRegion(paywall: Paywall, fee: Fee, sent: PurchaseForm): Promise<Complaint | undefined> {
  const { visit, texts } = paywall;
  const { t } = texts;
  if (fee.tax_behavior === undefined) return undefined;
  const stored = await visit.call(billingDetailsEndpoints.getBillingDetails);
  const entered = sent.billing_country || stored.country;
  const quoted = { params: { access_fee_id: fee.id } };
  const country = entered || (await countryOfTax(paywall, quoted));
  const region = sent.billing_region ?? (entered === stored.country ? stored.region : '');
  if (regionsOf(country).length === 0 || region.startsWith(`${country}-`)) return undefined;
  const required = t('errors.required');
  return { message: required, fields: { [entered === '' ? 'billing_country' : 'billing_region']: required } };
}

/** Empty while the tax is not known. The purchase then says why. */
async function countryOfTax({ visit, texts }: Paywall, quoted: { params: { access_fee_id: number } }): Promise<string> {
  const tried = await attemptToPay(texts, () => visit.call(taxQuoteEndpoints.getTaxQuote, quoted));
  return 'done' in tried ? tried.done.tax_country : '';
}

interface PurchaseMeans extends CardForm {
  payment_method?: string;
}

/** The fields of the purchase that say how it is paid. A purchase without them uses the stored card. */
async function readMeans(paywall: Paywall, sent: PurchaseForm): Promise<PurchaseMeans | PageResponse> {
  const redirect = findRedirectName(sent.card ?? '');
  if (redirect) return { payment_method: redirect };
  if (sent.card === 'saved') return {};
  if (sent.card !== 'debit' && sent.card !== 'new-debit') return cardOf(sent);
  if (sent.card === 'debit') return { payment_method: 'direct_debit' };
  const { visit, texts } = paywall;
  const body = accountOf(sent);
  const signed = await attemptToPay(texts, () => visit.callOnce(mandateEndpoints.createMandate, { body }));
  if ('done' in signed) return { payment_method: 'direct_debit' };
  const status = signed.error.code === 'service_unavailable' ? 503 : undefined;
  return checkoutStage(paywall, sent, { complaint: accountComplaint(signed.refused) }, status && { status });
}

/** A freemium fee needs no payment, so access starts immediately. */
async function takeFreemium(paywall: Paywall): Promise<PageResponse> {
  const { visit, place } = paywall;
  const body = { item_id: String(place.item_id) };
  const access = await visit.call(grantEndpoints.takeFreemium, { body });
  await count(paywall, 'checkout_success');
  return contentStage(paywall, access, { isNew: true });
}

/** Whether the enter key applies a voucher. It applies a new voucher first, unless a card has been entered. */
function isForVoucher({ do: pressed, payment_token = '', number = '', ...sent }: PurchaseForm): boolean {
  const { voucher_code = '', shown_voucher = '' } = sent;
  return pressed === 'enter' && payment_token + number === '' && voucher_code !== shown_voucher;
}
