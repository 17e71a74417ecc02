import { subscriptionEndpoints } from '../../subscriptions/subscriptions.endpoints';
import { paymentEndpoints } from '../../subscriptions/payments/payments.endpoints';
import { getFailureReason } from '../../subscriptions/payments/payments';
import { notificationEndpoints } from '../../notifications/notifications.endpoints';
import { lastPlaces } from '../../notifications/notifications';
import { accessEndpoints } from '../../entitlements/entitlements.endpoints';
import { grantEndpoints } from '../../customers/grants.endpoints';
import { AppError } from '../../kit/errors';
import { html, type Html } from '../../kit/html';
import { type PageResponse } from '../../kit/pages/page';
import { cardOf, type CardForm } from '../customer/cards';
import { failureText } from '../customer/failures';
import { listening } from '../customer/listening';
import { attempt } from '../layout/explain';
import { checkoutStage, type Choice } from './checkout';
import { isFreemium } from './due';
import { address, type Paywall, stage, stageId, stepLink, withToken } from './parts';
import { pinStage } from './pin';
import { contentStage } from './stages';
import { count } from './visits';

export interface PurchaseForm extends Choice, CardForm {
  do?: string | undefined;
  /** The fee, the amount and the voucher that the page showed. */
  shown_fee?: string | undefined;
  shown_amount?: string | undefined;
  shown_voucher?: string | undefined;
}

/** A submitted purchase. `after`: the position in the event stream after which its outcome is published. */
export interface Submitted {
  of: string;
  after: string;
  gift?: string | undefined;
  /** The choice, for another attempt. */
  fee?: string | undefined;
  voucher_code?: string | undefined;
  /** The step that the requesting page shows. */
  seen?: string | undefined;
}

/** Submits the purchase. Its outcome is read from the events. */
export async function buy(paywall: Paywall, sent: PurchaseForm): Promise<PageResponse> {
  const { visit, texts, fees, item } = paywall;
  const fee = fees.find(({ id }) => String(id) === sent.fee);
  if (!fee || isForVoucher(sent)) return checkoutStage(paywall, sent);
  if (sent.shown_fee !== undefined && sent.shown_fee !== sent.fee) {
    const complaint = { message: texts.t('errors.price_changed'), fields: {} };
    return checkoutStage(paywall, sent, { complaint }, { status: 409 });
  }
  if (isFreemium(fee)) return takeFreemium(paywall);
  const places = await lastPlaces([item.merchant_id]);
  const isSubscription = fee.access_type.name === 'subscription';
  // A request without a card uses the stored card.
  const card = sent.card === 'saved' ? {} : cardOf(sent);
  const told = { expected_amount: sent.shown_amount };
  const body = { ...card, ...told, access_fee: String(fee.id), voucher_code: sent.voucher_code };
  const gift = sent.gift === 'true' ? { is_gift: 'true', receiver_email: sent.receiver_email } : {};
  const tried = await attempt(texts, async () =>
    isSubscription
      ? (await visit.callOnce(subscriptionEndpoints.createSubscription, { body })).subscription_id
      : (await visit.callOnce(paymentEndpoints.createPayment, { body: { ...body, ...gift } })).transaction,
  );
  if ('refused' in tried) {
    if (tried.error.code === 'card_confirmation_required')
      return pinStage(paywall, { why: texts.t('paywall.pinForCard') }, { status: 409 });
    if (tried.error.code === 'price_changed')
      return checkoutStage(paywall, { ...sent, trial_gone: 'true' }, { complaint: tried.refused }, { status: 409 });
    const { fields } = tried.refused;
    const named = tried.error.code === 'voucher_not_found' ? { voucher_code: tried.refused.message } : fields;
    return checkoutStage(paywall, sent, { complaint: { ...tried.refused, fields: named } });
  }
  const after = String(places.get(item.merchant_id) ?? 0);
  const { gift: isGift, fee: feeId, voucher_code } = sent;
  return waitingStage(paywall, { of: tried.done, after, gift: isGift, fee: feeId, voucher_code });
}

/** A freemium fee needs no payment, so the access is there at once. */
async function takeFreemium(paywall: Paywall): Promise<PageResponse> {
  const { visit, place } = paywall;
  const body = { item_id: String(place.item_id) };
  const access = await visit.call(grantEndpoints.takeFreemium, { body });
  await count(paywall, 'checkout_success');
  return contentStage(paywall, access, { isNew: true });
}

/** The enter key applies a new voucher first, unless a card has been entered. */
function isForVoucher({ do: pressed, payment_token = '', number = '', ...sent }: PurchaseForm): boolean {
  const { voucher_code = '', shown_voucher = '' } = sent;
  return pressed === 'enter' && payment_token + number === '' && voucher_code !== shown_voucher;
}

/** Shows the state of a submitted purchase. Each event of the account and each poll requests this. */
export async function followPurchase(paywall: Paywall, submitted: Submitted): Promise<PageResponse> {
  const outcome = await findOutcome(paywall, submitted);
  const { visit, place } = paywall;
  if (outcome.state === 'waiting') return waitingStage(paywall, submitted);
  if (outcome.state === 'action') return authenticationStage(paywall, submitted, outcome.url);
  if (outcome.state === 'failed') {
    const reason = await reasonOf(paywall, submitted, outcome.message);
    const { gift, fee, voucher_code } = submitted;
    const choice = { gift, fee, voucher_code };
    const told = { complaint: { message: reason, fields: {} } };
    return checkoutStage(paywall, { ...choice, card: 'new' }, told, { status: 402 });
  }
  await count(paywall, 'checkout_success');
  if (submitted.gift === 'true') return giftStage(paywall);
  const access = await visit.call(accessEndpoints.checkAccess, { params: { id: place.item_id } });
  if (!('expires_at' in access)) throw new AppError('access_not_found');
  return contentStage(paywall, access, { isNew: true });
}

/** The message of the service is in English. Other languages translate the stored reason. */
async function reasonOf({ texts, visit }: Paywall, { of }: Submitted, message: string): Promise<string> {
  if (texts.language === 'en' && message !== '') return message;
  const asked = await attempt(texts, () => visit.call(subscriptionEndpoints.getSubscription, { params: { id: of } }));
  const ofPayment = async () => (visit.caller ? getFailureReason(visit.caller, of) : '');
  const reason = 'done' in asked ? asked.done.failure_reason : await ofPayment();
  return failureText(texts, reason) || texts.t('errors.payment_failed');
}

type Outcome =
  { state: 'waiting' } | { state: 'paid' } | { state: 'failed'; message: string } | { state: 'action'; url: string };

/** The outcome by the latest event of this purchase. */
async function findOutcome({ visit }: Paywall, { of, after }: Submitted): Promise<Outcome> {
  const { collection } = await visit.call(notificationEndpoints.listEvents, { query: { after, limit: '500' } });
  const ours = collection.filter(({ resource }) => [resource['transaction'], resource['subscription_id']].includes(of));
  const last = ours.at(-1);
  if (!last) return { state: 'waiting' };
  if (last.type === 'subscribe.success' || last.type === 'payment.card.success') return { state: 'paid' };
  if (last.type.endsWith('.failed')) return { state: 'failed', message: textOf(last.resource['message']) };
  if (last.type.endsWith('requires.action')) return { state: 'action', url: textOf(last.resource['redirect_to_url']) };
  return { state: 'waiting' };
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

/** The page is updated at each notification of the account, and polls slowly in case one is lost. */
function waitingStage(paywall: Paywall, submitted: Submitted): PageResponse {
  const { t } = paywall.texts;
  const content = html`<div class="spinner" aria-hidden="true"></div>
    <h2 tabindex="-1" data-focus>${t('paywall.waiting')}</h2>
    <p class="quiet" role="status">${t('paywall.waitingHint')}</p>`;
  return pendingStage(paywall, submitted, 'submitted', content);
}

/** The bank's page opens in a new window, because banks refuse frames and the form must not be lost. */
function authenticationStage(paywall: Paywall, submitted: Submitted, url: string): PageResponse {
  const { t } = paywall.texts;
  const safe = /^https?:\/\//i.test(url) ? url : '';
  const content = html`<h2 tabindex="-1" data-focus>${t('paywall.authenticate')}</h2>
    <p class="quiet">${t('paywall.authenticateHint')}</p>
    <p><a class="button main full" href="${safe}" target="_blank" rel="noopener">${t('paywall.openBank')}</a></p>
    <p class="quiet small" role="status">${t('paywall.authenticateWaits')}</p>`;
  return pendingStage(paywall, submitted, 'authentication', content);
}

/** A step that is already shown is not replaced, so that it is announced and focused once. */
function pendingStage(
  paywall: Paywall,
  submitted: Submitted,
  step: 'submitted' | 'authentication',
  content: Html,
): PageResponse {
  const from = { ...submitted, seen: step };
  const whole = html`<section class="card stack centred" ${listens(paywall, from)}>
    ${content} ${withoutScript(paywall, from)}
  </section>`;
  const isShown = submitted.seen === step;
  return stage(paywall, whole, isShown ? { headers: { 'HX-Reswap': 'none' } } : { tell: { type: `paywall.${step}` } });
}

function listens(paywall: Paywall, submitted: Submitted) {
  return listening(paywall, { again: waitingAddress(paywall, submitted), target: stageId });
}

function waitingAddress(paywall: Paywall, submitted: Submitted): string {
  const known = Object.entries(submitted).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return address(paywall, 'purchase', Object.fromEntries(known.filter(([, value]) => value !== '')));
}

const withoutScript = (paywall: Paywall, submitted: Submitted) =>
  html`<noscript
    ><a href="${withToken(paywall.visit, waitingAddress(paywall, submitted))}"
      >${paywall.texts.t('common.reload')}</a
    ></noscript
  >`;

function giftStage(paywall: Paywall): PageResponse {
  const { t } = paywall.texts;
  const content = html`<section class="card stack centred">
    <h2 tabindex="-1" data-focus>${t('paywall.giftDone')}</h2>
    <p class="quiet">${t('paywall.giftDoneHint')}</p>
    <p>${stepLink(paywall, { gift: 'true' }, t('paywall.giftAnother'))}</p>
  </section>`;
  return stage(paywall, content, { tell: { type: 'paywall.gift_bought' } });
}
