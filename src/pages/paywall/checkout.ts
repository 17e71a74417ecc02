import { accountEndpoints } from '../../accounts/accounts.endpoints';
import { cardEndpoints } from '../../subscriptions/cards.endpoints';
import { html, type Html } from '../../kit/html';
import { type PageResponse, type PageResponseOptions } from '../../kit/pages/page';
import { unixSeconds } from '../../kit/time';
import { quoteNextCharge } from '../../subscriptions/quotes';
import { type Complaint } from '../layout/explain';
import { complaints, field, form, radios, submit } from '../layout/forms';
import { billingLabels, type Billing, type BillingForm } from '../customer/billing';
import { accountFields, accountLabels } from '../customer/bankAccounts';
import { cardLabels, cardText, kindOf, newCardFields } from '../customer/cards';
import { type Fee, feeContent, priceOf } from '../customer/fees';
import { listMeans, type OfferedMeans } from '../customer/means';
import { billingPart, findBilling } from './billing';
import {
  addsTax,
  applyVoucher,
  type AmountDue,
  dueFor,
  dueNow,
  hasTrial,
  hasUsedTrial,
  isFreemium,
  isFreeNow,
  needsNoCardYet,
  shownFees,
  shownFields,
  totalLine,
} from './due';
import { meansField } from './means';
import { address, canGive, isGiftable, otherTabs, type Paywall, stage, stageId, stepLink } from './parts';
import { unpricedStage } from './unpriced';
import { count } from './visits';

/** The choices of the form, as text. */
export interface Choice extends BillingForm {
  fee?: string | undefined;
  voucher_code?: string | undefined;
  gift?: string | undefined;
  receiver_email?: string | undefined;
  card?: string | undefined;
  card_name?: string | undefined;
  holder_name?: string | undefined;
  /** Set if a trial was already used with the card of the last attempt. */
  trial_gone?: string | undefined;
}

interface CheckoutMessage {
  complaint?: Complaint;
  /** Whether only the price in the form has changed. The focus then stays where it is. */
  isSameForm?: boolean;
}

interface Checkout extends AmountDue {
  paywall: Paywall;
  choice: Choice;
  fees: readonly Fee[];
  isGift: boolean;
  isSameForm: boolean;
  complaint: Complaint | undefined;
  savedCard: string | undefined;
  means: OfferedMeans;
  /** The address of the account that pays. */
  email: string;
  /** Undefined if there is no tax. */
  billing: Billing | undefined;
  /** Unix seconds of the first renewal, or of the first payment after a trial. Undefined if the fee is paid once. */
  nextChargeAt: number | undefined;
}

/** The choice, the voucher and the card are one form, so that no input is lost between the steps. */
export async function checkoutStage(
  paywall: Paywall,
  choice: Choice,
  { complaint, isSameForm = false }: CheckoutMessage = {},
  options: PageResponseOptions = {},
): Promise<PageResponse> {
  const isGift = choice.gift === 'true' && !paywall.visit.isOff('gifts');
  const fees = await shownFees(paywall, isGift ? paywall.fees.filter(isGiftable) : paywall.fees);
  const fee = fees.find(({ id }) => String(id) === choice.fee) ?? fees[0];
  if (!fee) return unpricedStage(paywall, options);
  const voucher = await applyVoucher(paywall, fee, choice.voucher_code);
  const means = await listMeans(paywall, { access_fee_id: String(fee.id) });
  const savedCard = await findSavedCard(paywall, fee, means);
  const { email } = await paywall.visit.call(accountEndpoints.getAccount);
  const isTrialGone = choice.trial_gone === 'true' || (await hasUsedTrial(paywall, fees));
  const shownComplaint = complaint ?? voucher.complaint;
  const { discounted } = voucher;
  await count(paywall, 'checkout_start', ...(discounted ? (['voucher_applied'] as const) : []));
  const about = { paywall, choice, fee, fees, isGift, isSameForm, savedCard, means, email };
  const due = await dueFor(paywall, { fee, discounted, isTrialGone });
  const billing = await findBilling(paywall, due);
  const nextChargeAt = await findNextCharge(paywall, due);
  const checkout = { ...about, complaint: shownComplaint, billing, nextChargeAt, ...due };
  return stage(paywall, checkoutForm(checkout), {
    ...options,
    ...(shownComplaint && { status: options.status ?? 422 }),
  });
}

async function findSavedCard({ visit, texts }: Paywall, { currency }: Fee, { formMethods }: OfferedMeans) {
  const { cards } = await visit.call(cardEndpoints.listDefaultCards);
  const card = cards[currency];
  return card && formMethods.includes(kindOf(card)) ? cardText(texts, card) : undefined;
}

async function findNextCharge({ visit }: Paywall, due: AmountDue): Promise<number | undefined> {
  const { access_type: period, trial_period: trial } = due.fee;
  if (period.name !== 'subscription' || !visit.caller) return undefined;
  const terms = { period, trial: hasTrial(due) && trial ? trial : undefined };
  return unixSeconds(await quoteNextCharge(visit.caller.merchantId, terms));
}

/** The first button of the form. The enter key presses it in every field. */
const enterButton = html`<button
  type="submit"
  class="visually-hidden"
  name="do"
  value="enter"
  tabindex="-1"
  aria-hidden="true"
></button>`;

function checkoutForm(checkout: Checkout): Html {
  const { paywall, choice, complaint, isGift, isSameForm, fee } = checkout;
  const { texts, visit } = paywall;
  const { t } = texts;
  const isFree = isFreeNow(checkout);
  const content = html`
    ${enterButton} ${shownFields(checkout, choice.voucher_code)}
    ${choice.trial_gone === 'true' ? html`<input type="hidden" name="trial_gone" value="true" />` : ''}
    ${complaints(texts, complaint, labelsOf(paywall))} ${feesField(checkout)} ${isGift ? giftFields(checkout) : ''}
    ${isFreemium(fee) ? '' : voucherField(checkout)} ${billingPart({ ...checkout, isNeeded: addsTax(checkout) })}
    ${totalLine(paywall, checkout)} ${isFree ? '' : cardFields(checkout)} ${accountLine(checkout)}
    ${isFree || mayBuy(checkout) ? payButton(checkout) : ''}
    <p class="quiet small centred">${renewal(checkout)} ${termsLine(checkout)}</p>
  `;
  const other = isGift ? stepLink(paywall, {}, t('paywall.buyForMyself')) : giftLink(checkout);
  return html`<section class="card stack">
      <h2 ${complaint || isSameForm ? '' : html`tabindex="-1" data-focus`}>
        ${t(isGift ? 'paywall.giftTitle' : 'paywall.checkoutTitle')}
      </h2>
      ${form(visit, { action: address(paywall, 'pay'), target: stageId, content, name: 'checkout' })}
      ${isGift ? '' : otherTabs(paywall)}
    </section>
    <p class="centred small">${other}</p>`;
}

/** Without a payment account, only a trial without a card can start. */
const mayBuy = (checkout: Checkout) => checkout.paywall.cardEntry.isPossible || needsNoCardYet(checkout);

const payButton = (checkout: Checkout) => submit(buttonText(checkout), { isFull: true, name: 'do', value: 'pay' });

/** Shows the account, so that nobody pays or saves a card in another person's account. */
function accountLine({ paywall, email }: Checkout): Html {
  return html`<p class="small">${paywall.texts.t('paywall.signedInAs')} <bdi class="strong">${email}</bdi></p>`;
}

/** The text of the button. */
function buttonText(checkout: Checkout): string {
  const { paywall, fee } = checkout;
  const { t, money } = paywall.texts;
  if (isFreeNow(checkout)) return t('paywall.getForFree');
  if (hasTrial(checkout)) return t('paywall.beginTrial');
  return t('paywall.pay', { price: money(dueNow(checkout), fee.currency) });
}

/** The text about the first renewal. For a trial without a card, the fields for the card explain the end of the trial. */
function renewal(checkout: Checkout): string {
  const { paywall, fee, savedCard, nextChargeAt } = checkout;
  const { t, date, dateTime } = paywall.texts;
  if (nextChargeAt === undefined) return '';
  const isTrial = hasTrial(checkout);
  const { period } = (isTrial && fee.trial_period) || fee.access_type;
  const day = (period === 'hour' ? dateTime : date)(nextChargeAt);
  if (savedCard === undefined && needsNoCardYet(checkout)) return t('paywall.freeUntil', { date: day });
  return t(isTrial ? 'paywall.renewsAfterTrial' : 'paywall.renews', { price: priceOf(paywall.texts, fee), date: day });
}

const labelsOf = ({ texts, cardEntry }: Paywall) => ({
  ...cardLabels(texts, cardEntry),
  ...accountLabels(texts),
  ...billingLabels(texts),
  voucher_code: texts.t('paywall.voucher'),
  receiver_email: texts.t('paywall.receiver'),
});

function giftLink({ paywall }: Checkout): Html {
  return canGive(paywall) ? stepLink(paywall, { gift: 'true' }, paywall.texts.t('paywall.buyGift')) : html``;
}

function feesField({ paywall, fee, fees, isTrialGone }: Checkout): Html {
  const { texts } = paywall;
  const { t } = texts;
  if (fees.length === 1)
    return html`<input type="hidden" name="fee" value="${fee.id}" />
      <div class="choice still">${feeContent(texts, fee, { isTrialGone })}</div>`;
  const choices = fees.map((one) => ({
    value: String(one.id),
    content: feeContent(texts, one, { isTrialGone, beside: fees }),
  }));
  const refresh = html`<div
    hx-post="${address(paywall, 'price')}"
    hx-trigger="change"
    hx-include="closest form"
    hx-target="#${stageId}"
    hx-swap="outerHTML"
  >
    ${radios({ name: 'fee', label: t('paywall.choose'), value: String(fee.id), choices })}
  </div>`;
  return refresh;
}

function giftFields({ paywall, choice, complaint }: Checkout): Html {
  const { texts } = paywall;
  const { t } = texts;
  return html`<input type="hidden" name="gift" value="true" /> ${field(texts, {
      name: 'receiver_email',
      label: t('paywall.receiver'),
      type: 'email',
      value: choice.receiver_email,
      hint: t('paywall.receiverHint'),
      isRequired: true,
      complaint,
    })}`;
}

/** A separate button applies the voucher, so that the new price is shown before the payment. */
function voucherField({ paywall, choice, complaint, discounted }: Checkout): Html {
  const { texts, visit } = paywall;
  const { t } = texts;
  // The field also accepts the code of a gift.
  if (visit.isOff('vouchers') && visit.isOff('gifts')) return html``;
  const input = field(texts, {
    name: 'voucher_code',
    label: t('paywall.voucher'),
    value: choice.voucher_code,
    autocomplete: 'off',
    maxlength: 100,
    complaint,
    more: { spellcheck: 'false', dir: 'ltr' },
    ...(discounted && { hint: t('paywall.voucherApplied') }),
  });
  return html`<div class="joined">
    ${input}
    <button
      type="submit"
      name="do"
      value="voucher"
      formaction="${address(paywall, 'price')}"
      hx-post="${address(paywall, 'price')}"
      hx-include="closest form"
      hx-target="#${stageId}"
      hx-swap="outerHTML"
    >
      ${t('paywall.applyVoucher')}
    </button>
  </div>`;
}

function termsLine({ paywall }: Checkout): Html {
  const { theme, texts } = paywall;
  if (theme.termsUrl === '') return html``;
  return html`<a href="${theme.termsUrl}" target="_blank" rel="noopener">${texts.t('common.terms')}</a>`;
}

function cardFields(checkout: Checkout): Html {
  const { paywall, fee, savedCard, choice, complaint } = checkout;
  const isOptional = needsNoCardYet(checkout);
  const purpose = { amount: dueNow(checkout), currency: fee.currency };
  const typed = newCardFields(paywall.texts, {
    entry: paywall.cardEntry,
    purpose,
    complaint,
    name: choice.card_name,
    isOptional,
  });
  if (savedCard === undefined && isOptional) return cardLater(checkout, checkout.means.formMethods.length > 0 && typed);
  // A page of the bank always moves money.
  const means = dueNow(checkout) > 0 ? checkout.means : { ...checkout.means, redirects: [] };
  const account = { complaint, name: choice.holder_name, seller: paywall.theme.name };
  const fields = { newCard: typed, newAccount: accountFields(paywall.texts, account) };
  return meansField(paywall, { ...means, savedCard, chosen: choice.card }, fields);
}

/** The optional card of a trial that can start without one. */
function cardLater({ paywall, fee, complaint }: Checkout, typed: Html | false): Html {
  const { t } = paywall.texts;
  const end = fee.trial_end_behaviour === 'pause' ? t('paywall.trialPauses') : t('paywall.trialEnds');
  return html`<p class="quiet">${t('paywall.noCardYet')} ${end}</p>
    ${
      typed &&
      html`<details ${complaint ? 'open' : ''}>
        <summary>${t('paywall.cardNow')}</summary>
        ${typed}
      </details>`
    }`;
}
