import { html, type Html, type Written } from '../../kit/html';
import { debitDaysMax, findMethodName, findRedirectName } from '../../kit/paymentMethods';
import { cancelReasons } from '../customer/cancelReasons';
import { failureText } from '../customer/failures';
import { listening } from '../customer/listening';
import { paymentAwayTexts } from '../customer/paymentAway';
import { type Complaint } from '../layout/explain';
import { confirmButton, field, form, select, submit } from '../layout/forms';
import { dayField, localDay } from '../layout/times';
import { addressIn, pageId, type Portal } from './frame';
import { failureOf, isOfStore, isOver, isRunning, isUnpaid, priceOf, type SubscriptionRow } from './subscriptionState';

interface ActionOptions {
  complaint: Complaint | undefined;
  hasOtherPlans: boolean;
}

/** The buttons for the changes that the state allows. The endpoints check the state again. */
export function actionsOf(portal: Portal, row: SubscriptionRow, known: ActionOptions): Html {
  const { t } = portal.texts;
  if (isOver(row) || row.status === 'incomplete') return html``;
  if (isOfStore(row)) {
    const notice = t('portal.subscriptions.inStore', { store: row.payment_method_name });
    return html`<p class="alert">${notice}</p>`;
  }
  return html`<section class="stack" aria-labelledby="changes">
    <h2 id="changes">${t('portal.subscriptions.change')}</h2>
    <div class="actions">
      ${switchLink(portal, row, known)} ${methodLink(portal, row)} ${resume(portal, row)} ${pause(portal, row, known)}
      ${cancel(portal, row)}
    </div>
  </section>`;
}

function ask(
  portal: Portal,
  row: SubscriptionRow,
  {
    change,
    ...question
  }: { change: string; label: string; question: string; isDangerous?: boolean; isOpen?: boolean; fields?: Written },
): Html {
  const action = addressIn(portal, `subscriptions/${row.subscription_id}/${change}`);
  return confirmButton(portal.visit, { isDangerous: false, ...question, action, target: pageId, name: change });
}

const isStopping = ({ cancel_at_period_end, pauses_at_period_end }: SubscriptionRow) =>
  cancel_at_period_end || pauses_at_period_end;

function switchLink(portal: Portal, row: SubscriptionRow, { hasOtherPlans }: ActionOptions): Html {
  if (!hasOtherPlans || !isRunning(row) || isStopping(row)) return html``;
  const to = addressIn(portal, `subscriptions/${row.subscription_id}/switch`);
  return html`<a class="button slim" href="${to}">${portal.texts.t('portal.subscriptions.switch')}</a>`;
}

function methodLink(portal: Portal, row: SubscriptionRow): Html {
  const to = addressIn(portal, `subscriptions/${row.subscription_id}/payment-method`);
  return html`<a class="button slim" href="${to}">${portal.texts.t('portal.method.title')}</a>`;
}

function resume(portal: Portal, row: SubscriptionRow): Html {
  const { texts } = portal;
  const { t } = texts;
  const price = priceOf(texts, row);
  if (row.status === 'paused') {
    const [label, question] = [
      t('portal.subscriptions.resumePaused'),
      t('portal.subscriptions.resumePausedQuestion', { price }),
    ];
    return ask(portal, row, { change: 'resume', label, question });
  }
  if (!isRunning(row) || !isStopping(row)) return html``;
  const kind = row.pauses_at_period_end ? 'resumePausing' : 'resumeCancelled';
  const date = texts.date(row.current_period_end);
  const label = t(`portal.subscriptions.${kind}`);
  return ask(portal, row, {
    change: 'resume',
    label,
    question: t(`portal.subscriptions.${kind}Question`, { date, price }),
  });
}

function pause(portal: Portal, row: SubscriptionRow, { complaint }: ActionOptions): Html {
  if (row.status !== 'active' || isStopping(row)) return html``;
  const { texts } = portal;
  const { t } = texts;
  const dayLater = new Date((row.current_period_end + 86_400) * 1000);
  const fields = dayField(texts, {
    name: 'resumes_at',
    label: t('portal.subscriptions.pauseUntil'),
    hint: t('portal.subscriptions.pauseUntilHint'),
    complaint,
    more: { min: localDay(texts, dayLater) },
  });
  const question = t('portal.subscriptions.pauseQuestion', { date: texts.date(row.current_period_end) });
  const isOpen = complaint?.fields['resumes_at'] !== undefined;
  return ask(portal, row, { change: 'pause', label: t('portal.subscriptions.pause'), question, fields, isOpen });
}

/** The reason of a cancellation has at most 250 characters, with the name of the chosen one. */
const wordsMax = 220;

/** The button that cancels. A paid subscription ends with its period, an unpaid one immediately. */
function cancel(portal: Portal, row: SubscriptionRow): Html {
  const { texts } = portal;
  const { t } = texts;
  if (isRunning(row) && row.cancel_at_period_end) return html``;
  const date = texts.date(row.current_period_end);
  const question = isRunning(row)
    ? t('portal.subscriptions.cancelQuestion', { date })
    : t('portal.subscriptions.cancelAtOnce');
  const reasons = cancelReasons.map((reason) => [reason, t(`portal.cancelReasons.${reason}`)] as const);
  const fields = html`${select(texts, {
    name: 'why',
    label: t('portal.subscriptions.cancelReason'),
    choices: [['', t('portal.cancelReasons.none')], ...reasons],
  })}
  ${field(texts, { name: 'reason', label: t('portal.subscriptions.cancelWords'), maxlength: wordsMax })}`;
  return ask(portal, row, {
    change: 'cancel',
    label: t('portal.subscriptions.cancel'),
    question,
    isDangerous: true,
    fields,
  });
}

/**
 * A failed payment, its reason, and the ways to pay. It is refreshed, because the outcome of the bank or a new card
 * comes later.
 */
export function overdue(
  portal: Portal,
  row: SubscriptionRow,
  { bank, again, isDebited }: { bank: string | undefined; again: string; isDebited: boolean },
): Html {
  const { texts, visit } = portal;
  const { t } = texts;
  const safe = bank !== undefined && /^https?:\/\//i.test(bank) ? bank : undefined;
  const { hint, link, waits } = paymentAwayTexts(
    texts,
    findRedirectName(findMethodName(row.payment_method_name) ?? ''),
  );
  const confirm =
    safe !== undefined &&
    html`<p class="quiet">${hint}</p>
      <p><a class="button main" href="${safe}" target="_blank" rel="noopener">${link}</a></p>
      <p class="quiet small" role="status">${waits}</p>`;
  const retry = form(visit, {
    action: addressIn(portal, `subscriptions/${row.subscription_id}/retry`),
    target: pageId,
    name: 'retry',
    content: html`${submit(t('portal.subscriptions.retry'))}
      <p class="hint">${t('portal.subscriptions.retryHint')}</p>`,
    className: 'tight',
  });
  if (isDebited)
    return html`<div class="stack" ${listening(portal, { again, target: pageId })}>
      <p class="alert" role="status">${t('portal.subscriptions.processing', { count: debitDaysMax })}</p>
    </div>`;
  const isOurs = isUnpaid(row) && !isOfStore(row);
  const failure =
    safe === undefined ? failureOf(texts, row) : failureText(texts, 'authentication_required', row.payment_method_name);
  return html`<div class="stack" ${isOfStore(row) ? '' : listening(portal, { again, target: pageId })}>
    ${failure !== '' && html`<p class="alert ${safe === undefined ? 'bad' : 'warn'}">${failure}</p>`} ${confirm}
    ${isOurs && safe === undefined && retry}
  </div>`;
}
