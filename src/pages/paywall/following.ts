import { subscriptionEndpoints } from '../../subscriptions/subscriptions.endpoints';
import { paymentEndpoints } from '../../subscriptions/payments/payments.endpoints';
import { getFailureReason } from '../../subscriptions/payments/payments';
import { findOwnAction, type ScriptAction } from '../../subscriptions/paymentForm';
import { notificationEndpoints } from '../../notifications/notifications.endpoints';
import { accessEndpoints } from '../../entitlements/entitlements.endpoints';
import { AppError } from '../../kit/errors';
import { html } from '../../kit/html';
import { findRedirectName } from '../../kit/paymentMethods';
import { type PageResponse } from '../../kit/pages/page';
import { failureText, isProviderMessage } from '../customer/failures';
import { paymentAction } from '../customer/paymentAction';
import { paymentAwayTexts } from '../customer/paymentAway';
import { attempt } from '../layout/explain';
import { form } from '../layout/forms';
import { icon } from '../layout/icons';
import { checkoutStage } from './checkout';
import { debitStage, isUndecided } from './debits';
import { address, type Paywall, stage, stageId, stepLink } from './parts';
import { pendingStage, type Submitted, unchangedStage } from './pending';
import { contentStage } from './stages';
import { count } from './visits';

/** Shows the state of a submitted purchase. The page requests it at each event of the account and at each poll. */
export async function followPurchase(paywall: Paywall, submitted: Submitted): Promise<PageResponse> {
  const outcome = await findOutcome(paywall, submitted);
  const { visit, place } = paywall;
  if (outcome.state === 'waiting')
    return (await isUndecided(paywall, submitted)) ? debitStage(paywall, submitted) : waitingStage(paywall, submitted);
  if (outcome.state === 'action') return actionStage(paywall, submitted, outcome);
  if (outcome.state === 'failed') {
    const reason = await reasonOf(paywall, submitted, outcome.message);
    const { gift, fee, voucher_code, by } = submitted;
    const choice = { gift, fee, voucher_code, card: by === 'direct_debit' ? 'new-debit' : (by ?? 'new') };
    const failure = { complaint: { message: reason, fields: {} } };
    return checkoutStage(paywall, choice, failure, { status: 402 });
  }
  await count(paywall, 'checkout_success');
  if (submitted.gift === 'true') return giftStage(paywall);
  const access = await visit.call(accessEndpoints.checkAccess, { params: { id: place.item_id } });
  if (!('expires_at' in access)) throw new AppError('access_not_found');
  return contentStage(paywall, access, { isNew: true });
}

/** The text of the failure: the provider's message if it fits, and otherwise the text for the stored reason. */
async function reasonOf({ texts, visit }: Paywall, { of, by }: Submitted, message: string): Promise<string> {
  if (isProviderMessage(texts, by) && message !== '') return message;
  const found = await attempt(texts, () => visit.call(subscriptionEndpoints.getSubscription, { params: { id: of } }));
  const ofPayment = async () => (visit.caller ? getFailureReason(visit.caller, of) : '');
  const reason = 'done' in found ? found.done.failure_reason : await ofPayment();
  const redirect = findRedirectName(by ?? '');
  if (redirect && reason === 'authentication_failed')
    return texts.t(redirect === 'paypal' ? 'paywall.payAtPaypalNot' : 'paywall.payAtBankNot');
  return failureText(texts, reason, by) || texts.t('errors.payment_failed');
}

/** `reference`: the provider's id of the charge or the card that waits for the payer. */
interface ActionOutcome {
  state: 'action';
  url: string;
  reference: string;
}

type Outcome = { state: 'waiting' } | { state: 'paid' } | { state: 'failed'; message: string } | ActionOutcome;

/** The outcome, from the latest event of this purchase. */
async function findOutcome({ visit }: Paywall, { of, after }: Submitted): Promise<Outcome> {
  const { collection } = await visit.call(notificationEndpoints.listEvents, { query: { after, limit: '500' } });
  const ours = collection.filter(({ resource }) => purchaseIds.some((name) => resource[name] === of));
  const last = ours.at(-1);
  if (!last) return { state: 'waiting' };
  if (successes.includes(last.type)) return { state: 'paid' };
  if (last.type.endsWith('.failed')) return { state: 'failed', message: textOf(last.resource['message']) };
  if (last.type.endsWith('requires.action')) {
    const { redirect_to_url: url, pi_id: reference } = last.resource;
    return { state: 'action', url: textOf(url), reference: textOf(reference) };
  }
  return { state: 'waiting' };
}

const successes = [
  ...['subscribe.success', 'ideal.subscribe.success'],
  ...['payment.card.success', 'payment.ideal.success', 'external.payment.success'],
];

/** The fields in which an event names its purchase. */
const purchaseIds = ['transaction', 'subscription_id', 'external_payment_id'];

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

/** The page is refreshed at each notification of the account. A slow poll covers lost notifications. */
export function waitingStage(paywall: Paywall, submitted: Submitted): PageResponse {
  const { t } = paywall.texts;
  const content = html`<div class="spinner" aria-hidden="true"></div>
    <h2 tabindex="-1" data-focus>${t('paywall.waiting')}</h2>
    <p class="quiet" role="status">${t('paywall.waitingHint')}</p>`;
  return pendingStage(paywall, submitted, 'submitted', content);
}

/**
 * The stage of a payment that waits for the payer. The provider's script lets the payer authenticate on this page.
 * Without the script, the bank's page does.
 */
async function actionStage(
  paywall: Paywall,
  submitted: Submitted,
  { url, reference }: ActionOutcome,
): Promise<PageResponse> {
  const isAnswered = submitted.answered === reference;
  if (submitted.seen === 'authentication' && !isAnswered) return unchangedStage(paywall);
  const action = await findAction(paywall, reference);
  if (action) return scriptStage(paywall, { ...submitted, answered: undefined }, action, isAnswered);
  return isAnswered ? waitingStage(paywall, submitted) : authenticationStage(paywall, submitted, url);
}

/**
 * The data for the provider's script. Undefined while the provider does not answer, so that the page shows the link to
 * the bank.
 */
async function findAction({ visit, cardEntry }: Paywall, reference: string): Promise<ScriptAction | undefined> {
  if (!visit.caller || !cardEntry.form || visit.isEmbedded) return undefined;
  try {
    return await findOwnAction(visit.caller, reference);
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

/** Reports the payer's answer to the purchase, and shows the state of the purchase. */
export async function answerAuthentication(
  paywall: Paywall,
  { pi_id, ...submitted }: Submitted & { pi_id: string },
): Promise<PageResponse> {
  await paywall.visit.call(paymentEndpoints.createPayment, { body: { pi_id } });
  return followPurchase(paywall, { ...submitted, answered: pi_id, seen: undefined });
}

function scriptStage(paywall: Paywall, submitted: Submitted, action: ScriptAction, isRepeated: boolean): PageResponse {
  const { visit, texts } = paywall;
  const { t } = texts;
  const fields = Object.entries(submitted).map(
    ([name, value]: [string, string | undefined]) =>
      value && name !== 'seen' && html`<input type="hidden" name="${name}" value="${value}" />`,
  );
  const target = { action: address(paywall, 'answered'), target: stageId, name: 'authentication' };
  const content = html`<h2 tabindex="-1" data-focus>${t('paywall.authenticate')}</h2>
    <p class="quiet" role="status">${t('paywall.authenticateHere')}</p>
    ${form(visit, { ...target, content: html`${fields} ${paymentAction(texts, action, { isRepeated })}` })}`;
  return pendingStage(paywall, submitted, 'authentication', content);
}

/** A link to the bank's page in a new window, because banks refuse frames and the form must not be lost. */
function authenticationStage(paywall: Paywall, submitted: Submitted, url: string): PageResponse {
  const safe = /^https?:\/\//i.test(url) ? url : '';
  const { title, hint, link, waits } = paymentAwayTexts(paywall.texts, findRedirectName(submitted.by ?? ''));
  const content = html`<h2 tabindex="-1" data-focus>${title}</h2>
    <p class="quiet">${hint}</p>
    <p><a class="button main full" href="${safe}" target="_blank" rel="noopener">${link}</a></p>
    <p class="quiet small" role="status">${waits}</p>`;
  return pendingStage(paywall, submitted, 'authentication', content);
}

function giftStage(paywall: Paywall): PageResponse {
  const { t } = paywall.texts;
  const content = html`<section class="card stack centred">
    <span class="sign good">${icon('gift')}</span>
    <h2 tabindex="-1" data-focus>${t('paywall.giftDone')}</h2>
    <p class="quiet">${t('paywall.giftDoneHint')}</p>
    <p>${stepLink(paywall, { gift: 'true' }, t('paywall.giftAnother'))}</p>
  </section>`;
  return stage(paywall, content, { tell: { type: 'paywall.gift_bought' } });
}
