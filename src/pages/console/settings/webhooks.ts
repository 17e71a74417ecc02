import { merchant } from '../../../kit/auth';
import { html, type Html } from '../../../kit/html';
import { type PageResponse, type Visit } from '../../../kit/pages/page';
import { webhookDeliveryEndpoints } from '../../../webhooks/deliveries.endpoints';
import { webhookEndpoints } from '../../../webhooks/webhooks.endpoints';
import { copyable } from '../../layout/copyable';
import { type RowOf } from '../../layout/answers';
import { type Complaint } from '../../layout/explain';
import { complaints, field, form, submit } from '../../layout/forms';
import { named, type Texts, textsFor } from '../../layout/texts';
import { timeField } from '../../layout/times';
import { crudPages, formPage, type PageState, type VisitWith } from '../crudPages';
import { asText, filled, words } from '../fields';
import { confirmButton, refusedIf } from '../frame';
import { badge, given, pager, table, when, fileOf } from '../lists';
import { showSettings } from './settings';

const address = '/console/settings/webhooks';
const place = { feature: 'webhooks', auth: merchant('settings:write') } as const;
const pages = crudPages({ ...place, address, list: webhooksPage, one: webhookPage });
const { createWebhook, deleteWebhook, replaceWebhookSecret, updateWebhook } = webhookEndpoints;
const { listWebhookDeliveries, resendWebhookEvents, retryWebhookDelivery, testWebhook } = webhookDeliveryEndpoints;
const sent = { next: `${address}/{id}?done=sent` };

export const webhookPages = {
  showWebhooks: pages.list('The webhooks'),
  createWebhookInConsole: pages.create(
    'Creates a webhook, and shows its secret',
    ({ call, form: { url, events } }) => call(createWebhook, { body: { url, events: listOf(events) } }),
    { next: ({ id, secret }, visit) => secretPage(visit, String(id), secret) },
  ),
  showWebhook: pages.show('One webhook with its deliveries'),
  updateWebhookInConsole: pages.update(
    'Changes a webhook, or turns it on or off',
    ({ call, params, form: { url, events, enabled } }) =>
      call(updateWebhook, { params, body: enabled === undefined ? { url, events: listOf(events) } : { enabled } }),
    { next: `${address}/{id}?done=saved` },
  ),
  testWebhookInConsole: pages.act('test')(
    'Sends a test event',
    ({ call, params }) => call(testWebhook, { params }),
    sent,
  ),
  retryDelivery: formPage({
    ...place,
    path: `${address}/{id}/deliveries/{delivery_id}/retry`,
    summary: 'Sends an event again',
    work: ({ call, params }) => call(retryWebhookDelivery, { params }),
    again: webhookPage,
    ...sent,
  }),
  resendEvents: pages.act('resend')(
    'Sends a range of events again',
    ({ callOnce, params, form: { from, to, types } }) =>
      callOnce(resendWebhookEvents, { params, body: { from, ...given({ to }), events: listOf(types) } }),
    { ...sent, again: webhookPage },
  ),
  replaceWebhookSecretInConsole: pages.act('secret')(
    'Replaces a webhook’s secret, and shows it',
    ({ call, params }) => call(replaceWebhookSecret, { params }),
    { next: ({ secret }, visit) => secretPage(visit, visit.params.id, secret) },
  ),
  deleteWebhookInConsole: pages.delete('Deletes a webhook with its log', ({ call, params }) =>
    call(deleteWebhook, { params }),
  ),
};

/** Reads the list of events. An empty field means all events, which the endpoint reads from one empty text. */
function listOf(events: string | undefined): string[] {
  const list = words(events);
  return list.length > 0 ? list : [''];
}

async function webhooksPage(visit: Visit, { complaint, values = {}, done }: PageState): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { t } = texts;
  const { collection } = await visit.call(webhookEndpoints.listWebhooks);
  const list = table({
    title: t('console.settings.webhooks'),
    rows: collection,
    empty: t('console.webhooks.none'),
    hasLongTexts: true,
    columns: [
      { title: t('console.webhooks.url'), cell: ({ id, url: to }) => html`<a href="${address}/${id}">${to}</a>` },
      { title: t('console.fields.state'), cell: ({ enabled }) => badge(texts, enabled ? 'on' : 'off') },
      { title: t('console.webhooks.events'), cell: ({ events }) => events.join(', ') || t('console.all') },
    ],
  });
  const content = html`${fieldsOf(texts, { url: asText(values['url']), events: '' }, complaint)}
  ${submit(t('console.webhooks.create'))}`;
  const whole = html`${list} ${fileOf(visit, texts, collection, { list: 'webhooks', query: {} })}
    <section class="card stack">
      <h2>${t('console.webhooks.create')}</h2>
      ${form(visit, { action: address, content })}
    </section>`;
  return showSettings(visit, { tab: 'webhooks', done }, whole, refusedIf(complaint));
}

function fieldsOf(
  texts: Texts,
  { url, events }: { url: string | undefined; events: string },
  complaint: Complaint | undefined,
): Html {
  const { t } = texts;
  const ofEvents = { name: 'events', value: events, label: t('console.webhooks.events') };
  return html`${complaints(texts, complaint, ['url', 'events'])}
  ${field(texts, { name: 'url', value: url, type: 'url', label: t('console.webhooks.url'), complaint, isRequired: true })}
  ${field(texts, { ...ofEvents, hint: t('console.webhooks.eventsHint'), complaint })}`;
}

async function webhookPage(visit: VisitWith<'id'>, tried: PageState): Promise<PageResponse> {
  const { complaint, page: at, done, find } = tried;
  const isFailed = find === 'failed';
  const { id } = visit.params;
  const texts = textsFor(visit);
  const { t } = texts;
  const own = `${address}/${id}`;
  const webhook = await visit.call(webhookEndpoints.getWebhook, { params: { id } });
  const log = await visit.call(listWebhookDeliveries, {
    params: { id },
    query: given({ page: at, state: isFailed ? 'failed' : undefined }),
  });
  const content = html`${fieldsOf(texts, { url: webhook.url, events: webhook.events.join(', ') }, complaint)}
  ${submit(t('common.save'))}`;
  const turning = html`<input type="hidden" name="enabled" value="${String(!webhook.enabled)}" />
    ${submit(webhook.enabled ? t('console.settings.turnOff') : t('console.settings.turnOn'), { kind: 'slim' })}`;
  const actions = html`${form(visit, { action: `${own}/test`, content: submit(t('console.webhooks.test'), { kind: 'slim' }) })}
  ${form(visit, { action: own, content: turning, name: 'turn' })}
  ${confirmButton(visit, { action: `${own}/secret`, label: t('console.apps.replaceSecret'), question: t('console.webhooks.secretQuestion') })}
  ${confirmButton(visit, { action: `${own}/delete`, label: t('console.delete'), question: t('console.webhooks.deleteQuestion') })}`;
  const whole = html`<section class="card stack">
      <h2>${webhook.url} ${badge(texts, webhook.enabled ? 'on' : 'off')}</h2>
      <div class="row">${actions}</div>
      <hr />
      ${form(visit, { action: own, content, name: 'webhook' })}
    </section>
    <section class="stack">
      <h2>${t('console.webhooks.log')}</h2>
      ${isFailed && html`<p>${t('console.webhooks.failedOnly')} <a href="${own}">${t('console.seeAll')}</a></p>`}
      ${deliveries(visit, texts, log.collection)}
      ${pager(visit, texts, log, { list: 'webhook-deliveries', query: { webhook_id: id } })}
    </section>
    <section class="card stack">
      <h2>${t('console.webhooks.resend')}</h2>
      ${form(visit, { action: `${own}/resend`, content: rangeOf(texts, tried), name: 'resend' })}
    </section>`;
  const back = { address, text: t('console.settings.webhooks') };
  return showSettings(visit, { tab: 'webhooks', back, done }, whole, refusedIf(complaint));
}

function rangeOf(texts: Texts, { values = {}, complaint }: PageState): Html {
  const { t } = texts;
  const known = filled(values, complaint);
  const { name, value } = known('types');
  return html`<p class="quiet">${t('console.webhooks.resendHint')}</p>
    <div class="halves">
      ${timeField(texts, { ...known('from'), label: t('console.fields.from'), isRequired: true })}
      ${timeField(texts, { ...known('to'), label: t('console.fields.to') })}
    </div>
    ${field(texts, { name, value, label: t('console.webhooks.resendEvents'), hint: t('console.webhooks.eventsHint') })}
    ${submit(t('console.webhooks.resend'), { kind: 'slim' })}`;
}

type Delivery = RowOf<typeof listWebhookDeliveries>;

function deliveries(visit: Visit, texts: Texts, rows: readonly Delivery[]): Html {
  const { t, number } = texts;
  const retry = ({ id, webhook_id, state }: Delivery) =>
    form(visit, {
      action: `${address}/${webhook_id}/deliveries/${id}/retry`,
      content: submit(t(state === 'pending' ? 'console.webhooks.tryNow' : 'console.webhooks.retry'), { kind: 'slim' }),
    });
  return table({
    title: t('console.webhooks.log'),
    rows,
    empty: t('console.webhooks.noDeliveries'),
    columns: [
      { title: t('console.fields.when'), cell: ({ created_at }) => when(texts, created_at) },
      { title: t('console.fields.what'), cell: ({ type }) => html`<code>${type}</code>` },
      { title: t('console.fields.state'), cell: ({ state }) => badge(texts, state) },
      { title: t('console.webhooks.attempts'), cell: ({ attempts }) => number(attempts), isNumber: true },
      { title: t('console.webhooks.answer'), cell: (row) => answerOf(texts, row) },
      { title: t('console.fields.actions'), cell: retry },
    ],
  });
}

/** The response or the error of the receiving server, and the time of the next attempt. */
function answerOf(texts: Texts, { response_code, error, state, next_attempt_at }: Delivery): Html {
  const answer = response_code ?? named(texts, 'webhookErrors', error);
  const next = when(texts, next_attempt_at);
  const isWaiting = state === 'pending' && next !== '';
  return html`${answer}
  ${isWaiting && html`<span class="quiet small">${texts.t('console.webhooks.nextTry', { when: next })}</span>`}`;
}

/** The page of the secret, which is shown only once. */
function secretPage(visit: Visit, id: string, secret: string): PageResponse {
  const texts = textsFor(visit);
  const { t } = texts;
  const whole = html`<div class="card stack">
    <h2>${t('console.apps.secretTitle')}</h2>
    <p class="alert warn">${t('console.apps.secretOnce')}</p>
    <p>${t('console.apps.secret')}: ${copyable(texts, { value: secret, name: t('console.apps.secret') })}</p>
    <p><a class="button" href="${address}/${id}">${t('common.continue')}</a></p>
  </div>`;
  return showSettings(visit, { tab: 'webhooks' }, whole);
}
