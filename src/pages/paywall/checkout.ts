import { cardEndpoints } from '../../subscriptions/cards/endpoints';
import { discountEndpoints } from '../../vouchers/discounts/endpoints';
import { html, type Html } from '../../kit/html';
import { type Shown, type ShownOptions } from '../../kit/pages/page';
import { attempt, type Complaint } from '../layout/explain';
import { complaints, field, form, radios, submit } from '../layout/forms';
import { type Texts } from '../layout/texts';
import { cardLabels, cardText, newCardFields } from '../customer/cards';
import { type Fee, feeContent, priceOf } from '../customer/fees';
import { address, type Paywall, stage, stageId, stepLink } from './parts';

/** What has been chosen so far, as texts of a form. */
export interface Choice {
  fee?: string | undefined;
  voucher_code?: string | undefined;
  gift?: string | undefined;
  receiver_email?: string | undefined;
  card?: string | undefined;
  card_name?: string | undefined;
}

interface Told {
  complaint?: Complaint;
}

interface Checkout {
  paywall: Paywall;
  choice: Choice;
  fee: Fee;
  fees: readonly Fee[];
  isGift: boolean;
  complaint: Complaint | undefined;
  discounted: { amount: number; duration: number } | undefined;
  savedCard: string | undefined;
}

/** Choose, enter a voucher, pay: one form, so that nothing typed is lost between its steps. */
export async function checkoutStage(
  paywall: Paywall,
  choice: Choice,
  { complaint }: Told = {},
  options: ShownOptions = {},
): Promise<Shown> {
  const { t } = paywall.texts;
  const isGift = choice.gift === 'true' && !paywall.visit.isOff('gifts');
  const fees = isGift ? paywall.fees.filter(({ access_type }) => access_type.name !== 'subscription') : paywall.fees;
  const fee = fees.find(({ id }) => String(id) === choice.fee) ?? fees[0];
  if (!fee) {
    const text = html`<section class="card centred" tabindex="-1" data-focus>
      <p>${t('paywall.notOnSale')}</p>
    </section>`;
    return stage(paywall, text, options);
  }
  const voucher = await applyVoucher(paywall, fee, choice.voucher_code);
  const savedCard = await findSavedCard(paywall, fee);
  const told = complaint ?? voucher.complaint;
  const checkout = { paywall, choice, fee, fees, isGift, complaint: told, discounted: voucher.discounted, savedCard };
  return stage(paywall, checkoutForm(checkout), { ...options, ...(told && { status: options.status ?? 422 }) });
}

async function applyVoucher(paywall: Paywall, fee: Fee, code: string | undefined) {
  if (code === undefined || code.trim() === '') return {};
  const body = { voucher_code: code, access_fee_id: String(fee.id) };
  const tried = await attempt(paywall.texts, () => paywall.visit.call(discountEndpoints.getDiscount, { body }));
  if ('refused' in tried) {
    const text = tried.refused.fields['voucher_code'] ?? paywall.texts.t('errors.voucher_not_found');
    return { complaint: { message: text, fields: { voucher_code: text } } };
  }
  return { discounted: { amount: tried.done.amount, duration: tried.done.discount_duration } };
}

async function findSavedCard({ visit, texts }: Paywall, { currency }: Fee) {
  const { cards } = await visit.call(cardEndpoints.listDefaultCards);
  const card = cards[currency];
  return card && cardText(texts, card);
}

function checkoutForm(checkout: Checkout): Html {
  const { paywall, complaint, isGift, fee } = checkout;
  const { texts, visit } = paywall;
  const { t } = texts;
  const isFree = isFreeNow(checkout);
  const content = html`
    ${complaints(texts, complaint, labelsOf(texts))} ${feesField(checkout)} ${isGift ? giftFields(checkout) : ''}
    ${voucherField(checkout)} ${totalLine(checkout)} ${isFree ? '' : cardFields(checkout)}
    ${submit(
      isFree ? t('paywall.getForFree') : t('paywall.pay', { price: texts.money(dueNow(checkout), fee.currency) }),
      {
        isFull: true,
        name: 'do',
        value: 'pay',
      },
    )}
    <p class="quiet small centred">
      ${fee.access_type.name === 'subscription' ? t('paywall.renews', { price: priceOf(texts, fee) }) : ''}
      ${termsLine(checkout)}
    </p>
  `;
  const other = isGift ? stepLink(paywall, {}, t('paywall.buyForMyself')) : giftLink(checkout);
  return html`<section class="card stack">
      <h2 ${complaint ? '' : html`tabindex="-1" data-focus`}>
        ${t(isGift ? 'paywall.giftTitle' : 'paywall.checkoutTitle')}
      </h2>
      ${form(visit, { action: address(paywall, 'pay'), target: stageId, content, name: 'checkout' })}
    </section>
    <p class="centred small">${other}</p>`;
}

const labelsOf = (texts: Texts) => ({
  ...cardLabels(texts),
  voucher_code: texts.t('paywall.voucher'),
  receiver_email: texts.t('paywall.receiver'),
});

function giftLink({ paywall, fees }: Checkout): Html {
  const { item, texts } = paywall;
  const isOffered = item.is_giftable && !paywall.visit.isOff('gifts');
  const canGive = isOffered && fees.some(({ access_type }) => access_type.name !== 'subscription');
  return canGive ? stepLink(paywall, { gift: 'true' }, texts.t('paywall.buyGift')) : html``;
}

function feesField({ paywall, fee, fees }: Checkout): Html {
  const { texts } = paywall;
  const { t } = texts;
  if (fees.length === 1)
    return html`<input type="hidden" name="fee" value="${fee.id}" />
      <div class="choice still">${feeContent(texts, fee)}</div>`;
  const choices = fees.map((one) => ({ value: String(one.id), content: feeContent(texts, one) }));
  const refresh = html`<div
    hx-post="${address(paywall, 'price')}"
    hx-trigger="change from:find input"
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

const hasTrial = ({ fee }: Checkout) => fee.trial_period !== null;
const priceNow = ({ fee, discounted }: Checkout) => discounted?.amount ?? fee.amount;
const dueNow = (checkout: Checkout) => {
  const setup = checkout.fee.setup_fee?.fee_amount ?? 0;
  return hasTrial(checkout) ? 0 : priceNow(checkout) + setup;
};

/** Nothing to pay now, and nothing later: no card is asked for. */
function isFreeNow(checkout: Checkout): boolean {
  return dueNow(checkout) === 0 && checkout.fee.access_type.name !== 'subscription';
}

function totalLine(checkout: Checkout): Html {
  const { paywall, fee, discounted } = checkout;
  const { texts } = paywall;
  const { t, money } = texts;
  const before = fee.amount + (fee.setup_fee?.fee_amount ?? 0);
  const now = dueNow(checkout);
  const lasts =
    !discounted || fee.access_type.name !== 'subscription' ? '' : durationText(checkout, discounted.duration);
  return html`<div class="total row spread" role="status">
    <span class="strong">${t('paywall.dueNow')}</span>
    <span class="amount total-amount">
      ${
        discounted && !hasTrial(checkout)
          ? html`<s class="quiet"
              ><span class="visually-hidden">${t('paywall.priceBefore')}</span> ${money(before, fee.currency)}</s
            > `
          : ''
      }<strong>${money(now, fee.currency)}</strong>
    </span>
    ${lasts === '' ? '' : html`<span class="quiet small">${lasts}</span>`}
  </div>`;
}

function durationText({ paywall }: Checkout, duration: number): string {
  const { t } = paywall.texts;
  return duration === 0 ? t('paywall.discountForEver') : t('paywall.discountFor', { count: duration });
}

function termsLine({ paywall }: Checkout): Html {
  const { theme, texts } = paywall;
  if (theme.termsUrl === '') return html``;
  return html`<a href="${theme.termsUrl}" target="_blank" rel="noopener">${texts.t('common.terms')}</a>`;
}

function cardFields(checkout: Checkout): Html {
  const { paywall, savedCard, choice, complaint } = checkout;
  const { t } = paywall.texts;
  const typed = newCardFields(paywall.texts, { complaint, name: choice.card_name });
  if (savedCard === undefined) return typed;
  const wantsNew = choice.card === 'new';
  const choices = [
    { value: 'saved', content: html`<span>${savedCard}</span>` },
    { value: 'new', content: html`<span>${t('paywall.otherCard')}</span>` },
  ];
  return html`${radios({ name: 'card', label: t('paywall.payWith'), value: wantsNew ? 'new' : 'saved', choices })}
    <div class="if-new-card">${typed}</div>`;
}
