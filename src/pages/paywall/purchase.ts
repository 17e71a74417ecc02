import { subscriptionEndpoints } from '../../subscriptions/endpoints';
import { paymentEndpoints } from '../../subscriptions/payments/endpoints';
import { notificationEndpoints } from '../../notifications/endpoints';
import { lastPlaces } from '../../notifications/service';
import { accessEndpoints } from '../../items/access/endpoints';
import { html } from '../../kit/html';
import { type Shown } from '../../kit/pages/page';
import { cardOf, type TypedCard } from '../customer/cards';
import { attempt } from '../layout/explain';
import { checkoutStage, type Choice } from './checkout';
import { address, type Paywall, stage, stageId, stepLink, withToken } from './parts';
import { contentStage } from './stages';

export type PurchaseForm = Choice & TypedCard;

/** A purchase that was submitted. `after`: the place in the stream of events that its outcome comes behind. */
export interface Submitted {
  of: string;
  after: string;
  gift?: string | undefined;
  /** What was chosen, for another try. */
  fee?: string | undefined;
  voucher_code?: string | undefined;
}

/** Submits it; from then on the events tell. */
export async function buy(paywall: Paywall, sent: PurchaseForm): Promise<Shown> {
  const { visit, texts, fees, item } = paywall;
  const fee = fees.find(({ id }) => String(id) === sent.fee);
  if (!fee) return checkoutStage(paywall, sent);
  const places = await lastPlaces([item.merchant_id]);
  const isSubscription = fee.access_type.name === 'subscription';
  // A stored card is asked for by sending none.
  const card = sent.card === 'saved' ? {} : cardOf(sent);
  const body = { ...card, access_fee: String(fee.id), voucher_code: sent.voucher_code };
  const gift = sent.gift === 'true' ? { is_gift: 'true', receiver_email: sent.receiver_email } : {};
  const tried = await attempt(texts, async () =>
    isSubscription
      ? (await visit.call(subscriptionEndpoints.createSubscription, { body })).subscription_id
      : (await visit.call(paymentEndpoints.createPayment, { body: { ...body, ...gift } })).transaction,
  );
  if ('refused' in tried) {
    const { fields } = tried.refused;
    const named = tried.error.code === 'voucher_not_found' ? { voucher_code: tried.refused.message } : fields;
    return checkoutStage(paywall, sent, { complaint: { ...tried.refused, fields: named } });
  }
  const after = String(places.get(item.merchant_id) ?? 0);
  const { gift: isGift, fee: feeId, voucher_code } = sent;
  return waitingStage(paywall, { of: tried.done, after, gift: isGift, fee: feeId, voucher_code });
}

/** Where a submitted purchase is: every event of the account, and each look, leads here. */
export async function followPurchase(paywall: Paywall, submitted: Submitted): Promise<Shown> {
  const outcome = await findOutcome(paywall, submitted);
  const { texts, visit, place } = paywall;
  if (outcome.state === 'waiting') return waitingStage(paywall, submitted);
  if (outcome.state === 'action') return authenticationStage(paywall, submitted, outcome.url);
  if (outcome.state === 'failed') {
    const reason =
      texts.language === 'en' && outcome.message !== '' ? outcome.message : texts.t('errors.payment_failed');
    const { gift, fee, voucher_code } = submitted;
    const choice = { gift, fee, voucher_code };
    const told = { complaint: { message: reason, fields: {} } };
    return checkoutStage(paywall, { ...choice, card: 'new' }, told, { status: 402 });
  }
  if (submitted.gift === 'true') return giftStage(paywall);
  const access = await visit.call(accessEndpoints.checkAccess, { params: { id: place.item_id } });
  return contentStage(paywall, 'expires_at' in access ? access.expires_at : 0, { isNew: true });
}

type Outcome =
  { state: 'waiting' } | { state: 'paid' } | { state: 'failed'; message: string } | { state: 'action'; url: string };

/** The last word of the events about this purchase. */
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

/** Woken by the notifications of the account; the slow look is the net under them. */
function waitingStage(paywall: Paywall, submitted: Submitted): Shown {
  const { t } = paywall.texts;
  const content = html`<section class="card stack centred" ${listens(paywall, submitted)}>
    <div class="spinner" aria-hidden="true"></div>
    <h2 tabindex="-1" data-focus>${t('paywall.waiting')}</h2>
    <p class="quiet" role="status">${t('paywall.waitingHint')}</p>
    ${withoutScript(paywall, submitted)}
  </section>`;
  return stage(paywall, content, { tell: { type: 'paywall.submitted' } });
}

/** The bank's page comes in a window of its own: banks refuse frames, and what is typed here must not be lost. */
function authenticationStage(paywall: Paywall, submitted: Submitted, url: string): Shown {
  const { t } = paywall.texts;
  const safe = /^https?:\/\//i.test(url) ? url : '';
  const content = html`<section class="card stack centred" ${listens(paywall, submitted)}>
    <h2 tabindex="-1" data-focus>${t('paywall.authenticate')}</h2>
    <p class="quiet">${t('paywall.authenticateHint')}</p>
    <p><a class="button main full" href="${safe}" target="_blank" rel="noopener">${t('paywall.openBank')}</a></p>
    <p class="quiet small" role="status">${t('paywall.authenticateWaits')}</p>
    ${withoutScript(paywall, submitted)}
  </section>`;
  return stage(paywall, content, { tell: { type: 'paywall.authentication' } });
}

function listens(paywall: Paywall, submitted: Submitted) {
  const merchant = paywall.place.merchant_uuid;
  return html`data-listen="${merchant}" hx-get="${waitingAddress(paywall, submitted)}" hx-trigger="told, every 8s"
  hx-target="#${stageId}" hx-swap="outerHTML"`;
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

function giftStage(paywall: Paywall): Shown {
  const { t } = paywall.texts;
  const content = html`<section class="card stack centred">
    <h2 tabindex="-1" data-focus>${t('paywall.giftDone')}</h2>
    <p class="quiet">${t('paywall.giftDoneHint')}</p>
    <p>${stepLink(paywall, { gift: 'true' }, t('paywall.giftAnother'))}</p>
  </section>`;
  return stage(paywall, content, { tell: { type: 'paywall.gift_bought' } });
}
