import { cardEndpoints } from '../../subscriptions/cards/endpoints';
import { html, type Html } from '../../kit/html';
import { type Shown, type ShownOptions } from '../../kit/pages/page';
import { type Complaint } from '../layout/explain';
import { complaints, field, form, radios, submit } from '../layout/forms';
import { type Texts } from '../layout/texts';
import { cardLabels, cardText, newCardFields } from '../customer/cards';
import { type Fee, feeContent, priceOf } from '../customer/fees';
import {
  applyVoucher,
  type Due,
  dueNow,
  hasTrial,
  hasUsedTrial,
  isFreemium,
  isFreeNow,
  needsNoCardYet,
  shownFields,
  totalLine,
} from './due';
import { address, canGive, isGiveable, type Paywall, stage, stageId, stepLink } from './parts';
import { unpricedStage } from './unpriced';
import { count } from './visits';

/** What has been chosen so far, as texts of a form. */
export interface Choice {
  fee?: string | undefined;
  voucher_code?: string | undefined;
  gift?: string | undefined;
  receiver_email?: string | undefined;
  card?: string | undefined;
  card_name?: string | undefined;
  /** The card of the last try has had the free time before. */
  trial_gone?: string | undefined;
}

interface Told {
  complaint?: Complaint;
  /** The same form with another price: the reader stays at the field that asked for it. */
  isSameForm?: boolean;
}

interface Checkout extends Due {
  paywall: Paywall;
  choice: Choice;
  fees: readonly Fee[];
  isGift: boolean;
  isSameForm: boolean;
  complaint: Complaint | undefined;
  savedCard: string | undefined;
}

/** Choose, enter a voucher, pay: one form, so that nothing typed is lost between its steps. */
export async function checkoutStage(
  paywall: Paywall,
  choice: Choice,
  { complaint, isSameForm = false }: Told = {},
  options: ShownOptions = {},
): Promise<Shown> {
  const isGift = choice.gift === 'true' && !paywall.visit.isOff('gifts');
  const fees = isGift ? paywall.fees.filter(isGiveable) : paywall.fees;
  const fee = fees.find(({ id }) => String(id) === choice.fee) ?? fees[0];
  if (!fee) return unpricedStage(paywall, options);
  const voucher = await applyVoucher(paywall, fee, choice.voucher_code);
  const savedCard = await findSavedCard(paywall, fee);
  const isTrialGone = choice.trial_gone === 'true' || (await hasUsedTrial(paywall, fees));
  const told = complaint ?? voucher.complaint;
  const { discounted } = voucher;
  await count(paywall, 'checkout_start', ...(discounted ? (['voucher_applied'] as const) : []));
  const about = { paywall, choice, fee, fees, isGift, isSameForm, savedCard };
  const checkout = { ...about, complaint: told, discounted, isTrialGone };
  return stage(paywall, checkoutForm(checkout), { ...options, ...(told && { status: options.status ?? 422 }) });
}

async function findSavedCard({ visit, texts }: Paywall, { currency }: Fee) {
  const { cards } = await visit.call(cardEndpoints.listDefaultCards);
  const card = cards[currency];
  return card && cardText(texts, card);
}

/** What the enter key presses, in whatever field: the first button of a form. */
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
    ${complaints(texts, complaint, labelsOf(texts))} ${feesField(checkout)} ${isGift ? giftFields(checkout) : ''}
    ${isFreemium(fee) ? '' : voucherField(checkout)} ${totalLine(paywall, checkout)}
    ${isFree ? '' : cardFields(checkout)} ${submit(deedOf(checkout), { isFull: true, name: 'do', value: 'pay' })}
    <p class="quiet small centred">${renewal(checkout)} ${termsLine(checkout)}</p>
  `;
  const other = isGift ? stepLink(paywall, {}, t('paywall.buyForMyself')) : giftLink(checkout);
  return html`<section class="card stack">
      <h2 ${complaint || isSameForm ? '' : html`tabindex="-1" data-focus`}>
        ${t(isGift ? 'paywall.giftTitle' : 'paywall.checkoutTitle')}
      </h2>
      ${form(visit, { action: address(paywall, 'pay'), target: stageId, content, name: 'checkout' })}
    </section>
    <p class="centred small">${other}</p>`;
}

/** What the button says that it does. */
function deedOf(checkout: Checkout): string {
  const { paywall, fee } = checkout;
  const { t, money } = paywall.texts;
  if (isFreeNow(checkout)) return t('paywall.getForFree');
  if (hasTrial(checkout)) return t('paywall.beginTrial');
  return t('paywall.pay', { price: money(dueNow(checkout), fee.currency) });
}

/** What becomes of a trial without a card stands where a card may be added. */
function renewal(checkout: Checkout): string {
  const { paywall, fee, savedCard } = checkout;
  const isCardLeft = savedCard === undefined && needsNoCardYet(checkout);
  if (fee.access_type.name !== 'subscription' || isCardLeft) return '';
  return paywall.texts.t('paywall.renews', { price: priceOf(paywall.texts, fee) });
}

const labelsOf = (texts: Texts) => ({
  ...cardLabels(texts),
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
  const choices = fees.map((one) => ({ value: String(one.id), content: feeContent(texts, one, { isTrialGone }) }));
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

/** Applied by a button of its own: the price changes before anything is paid. */
function voucherField({ paywall, choice, complaint, discounted }: Checkout): Html {
  const { texts, visit } = paywall;
  const { t } = texts;
  // The code of a gift is typed here, too.
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
  const { paywall, savedCard, choice, complaint } = checkout;
  const { t } = paywall.texts;
  const isOptional = needsNoCardYet(checkout);
  const typed = newCardFields(paywall.texts, { complaint, name: choice.card_name, isOptional });
  if (savedCard === undefined && isOptional) return cardLater(checkout, typed);
  if (savedCard === undefined) return typed;
  const wantsNew = choice.card === 'new';
  const choices = [
    { value: 'saved', content: html`<span>${savedCard}</span>` },
    { value: 'new', content: html`<span>${t('paywall.otherCard')}</span>` },
  ];
  return html`${radios({ name: 'card', label: t('paywall.payWith'), value: wantsNew ? 'new' : 'saved', choices })}
    <div class="if-new-card">${typed}</div>`;
}

/** A trial begins without a card; who likes adds one at once. */
function cardLater({ paywall, fee, complaint }: Checkout, typed: Html): Html {
  const { t } = paywall.texts;
  const end = fee.trial_end_behaviour === 'pause' ? t('paywall.trialPauses') : t('paywall.trialEnds');
  return html`<p class="quiet">${t('paywall.noCardYet')} ${end}</p>
    <details ${complaint ? 'open' : ''}>
      <summary>${t('paywall.cardNow')}</summary>
      ${typed}
    </details>`;
}
