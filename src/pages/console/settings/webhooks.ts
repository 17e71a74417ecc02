import { z } from 'zod';
import { merchant } from '../../../kit/auth';
import { html, type Html } from '../../../kit/html';
import { page, Redirect, type Shown, type Visit } from '../../../kit/pages/page';
import { webhookDeliveryEndpoints } from '../../../webhooks/deliveries/endpoints';
import { webhookEndpoints } from '../../../webhooks/endpoints';
import { attempt, type Complaint } from '../../layout/explain';
import { complaints, field, form, submit } from '../../layout/forms';
import { type Texts, textsFor } from '../../layout/texts';
import { AnyForm, words } from '../fields';
import { asking, carryOut, IdPath, inConsole, listQuery, named } from '../frame';
import { badge, given, pager, table, when, fileOf } from '../lists';
import { showSettings } from './settings';

const mine = { ...inConsole, feature: 'webhooks', auth: merchant('settings:write') } as const;
const address = '/console/settings/webhooks';

export const webhookPages = {
  showWebhooks: page({
    ...mine,
    method: 'get',
    path: address,
    summary: 'The webhooks',
    query: z.object(listQuery),
    handler: (visit) => webhooksPage(visit, { done: visit.query.done }),
  }),
  createWebhookInConsole: page({
    ...mine,
    method: 'post',
    path: address,
    summary: 'Has events sent to a server, and shows its secret',
    form: AnyForm,
    handler: async (visit) => {
      const { url, events } = visit.form;
      const body = { url, events: listOf(events) };
      const tried = await attempt(textsFor(visit), () => visit.call(webhookEndpoints.createWebhook, { body }));
      if ('refused' in tried) return webhooksPage(visit, { complaint: tried.refused, url });
      return secretPage(visit, String(tried.done.id), tried.done.secret);
    },
  }),
  showWebhook: page({
    ...mine,
    method: 'get',
    path: `${address}/{id}`,
    summary: 'One webhook, and what it was sent',
    params: IdPath,
    query: z.object(listQuery),
    handler: (visit) => webhookPage(visit, visit.params.id, { page: visit.query.page, done: visit.query.done }),
  }),
  updateWebhookInConsole: page({
    ...mine,
    method: 'post',
    path: `${address}/{id}`,
    summary: 'Changes a webhook, or turns it on or off',
    params: IdPath,
    form: AnyForm,
    handler: async (visit) => {
      const { params } = visit;
      const { url, events, enabled } = visit.form;
      const body = enabled === undefined ? { url, events: listOf(events) } : { enabled };
      return carryOut(visit, {
        work: () => visit.call(webhookEndpoints.updateWebhook, { params, body }),
        again: (complaint) => webhookPage(visit, params.id, { complaint }),
        next: `${address}/${params.id}?done=saved`,
      });
    },
  }),
  testWebhookInConsole: page({
    ...mine,
    method: 'post',
    path: `${address}/{id}/test`,
    summary: 'Sends a test event',
    params: IdPath,
    handler: async (visit) => {
      await visit.call(webhookDeliveryEndpoints.testWebhook, { params: visit.params });
      return new Redirect(`${address}/${visit.params.id}?done=sent`);
    },
  }),
  retryDelivery: page({
    ...mine,
    method: 'post',
    path: `${address}/{id}/deliveries/{delivery_id}/retry`,
    summary: 'Sends an event once more',
    params: z.object({ id: z.string(), delivery_id: z.string() }),
    handler: async (visit) => {
      const { params } = visit;
      const asked = () => visit.call(webhookDeliveryEndpoints.retryWebhookDelivery, { params });
      return carryOut(visit, {
        work: asked,
        again: (complaint) => webhookPage(visit, params.id, { complaint }),
        next: `${address}/${params.id}?done=sent`,
      });
    },
  }),
  replaceWebhookSecretInConsole: page({
    ...mine,
    method: 'post',
    path: `${address}/{id}/secret`,
    summary: 'Replaces a webhook’s secret, and shows it',
    params: IdPath,
    handler: async (visit) => {
      const { secret } = await visit.call(webhookEndpoints.replaceWebhookSecret, { params: visit.params });
      return secretPage(visit, visit.params.id, secret);
    },
  }),
  deleteWebhookInConsole: page({
    ...mine,
    method: 'post',
    path: `${address}/{id}/delete`,
    summary: 'Deletes a webhook with its log',
    params: IdPath,
    handler: async (visit) => {
      await visit.call(webhookEndpoints.deleteWebhook, { params: visit.params });
      return new Redirect(`${address}?done=deleted`);
    },
  }),
};

/** Nothing means every event: a list with one empty text. */
function listOf(events: string | undefined): string[] {
  const list = words(events);
  return list.length > 0 ? list : [''];
}

interface Tried {
  complaint?: Complaint;
  url?: string | undefined;
  page?: string | undefined;
  done?: string | undefined;
}

async function webhooksPage(visit: Visit, { complaint, url, done }: Tried): Promise<Shown> {
  const texts = textsFor(visit);
  const { t } = texts;
  const { collection } = await visit.call(webhookEndpoints.listWebhooks);
  const list = table({
    title: t('console.settings.webhooks'),
    rows: collection,
    empty: t('console.webhooks.none'),
    columns: [
      { title: t('console.webhooks.url'), cell: ({ id, url: to }) => html`<a href="${address}/${id}">${to}</a>` },
      { title: t('console.fields.state'), cell: ({ enabled }) => badge(texts, enabled ? 'on' : 'off') },
      { title: t('console.webhooks.events'), cell: ({ events }) => events.join(', ') || t('console.all') },
    ],
  });
  const content = html`${fieldsOf(texts, { url, events: '' }, complaint)} ${submit(t('console.webhooks.create'))}`;
  const whole = html`${list} ${fileOf(visit, texts, collection, { list: 'webhooks', query: {} })}
    <section class="card stack">
      <h2>${t('console.webhooks.create')}</h2>
      ${form(visit, { action: address, content })}
    </section>`;
  return showSettings(visit, { tab: 'webhooks', done }, whole, complaint ? { status: 422 } : {});
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

async function webhookPage(visit: Visit, id: string, { complaint, page: at, done }: Tried): Promise<Shown> {
  const texts = textsFor(visit);
  const { t } = texts;
  const own = `${address}/${id}`;
  const webhook = await visit.call(webhookEndpoints.getWebhook, { params: { id } });
  const log = await visit.call(webhookDeliveryEndpoints.listWebhookDeliveries, {
    params: { id },
    query: given({ page: at }),
  });
  const content = html`${fieldsOf(texts, { url: webhook.url, events: webhook.events.join(', ') }, complaint)}
  ${submit(t('common.save'))}`;
  const turning = html`<input type="hidden" name="enabled" value="${String(!webhook.enabled)}" />
    ${submit(webhook.enabled ? t('console.settings.turnOff') : t('console.settings.turnOn'), { kind: 'slim' })}`;
  const actions = html`${form(visit, { action: `${own}/test`, content: submit(t('console.webhooks.test'), { kind: 'slim' }) })}
  ${form(visit, { action: own, content: turning, name: 'turn' })}
  ${asking(visit, { action: `${own}/secret`, label: t('console.apps.replaceSecret'), question: t('console.webhooks.secretQuestion') })}
  ${asking(visit, { action: `${own}/delete`, label: t('console.delete'), question: t('console.webhooks.deleteQuestion') })}`;
  const whole = html`<section class="card stack">
      <h2>${webhook.url} ${badge(texts, webhook.enabled ? 'on' : 'off')}</h2>
      <div class="row">${actions}</div>
      <hr />
      ${form(visit, { action: own, content, name: 'webhook' })}
    </section>
    <section class="stack">
      <h2>${t('console.webhooks.log')}</h2>
      ${deliveries(visit, texts, log.collection)}
      ${pager(visit, texts, log, { list: 'webhook-deliveries', query: { webhook_id: id } })}
    </section>`;
  const back = { address, text: t('console.settings.webhooks') };
  return showSettings(visit, { tab: 'webhooks', back, done }, whole, complaint ? { status: 422 } : {});
}

interface Delivery {
  id: string;
  webhook_id: number;
  type: string;
  state: string;
  attempts: number;
  response_code: number | null;
  error: string;
  next_attempt_at: number;
  created_at: number;
}

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

/** What the server said, or why it said nothing; and when it is asked again. */
function answerOf(texts: Texts, { response_code, error, state, next_attempt_at }: Delivery): Html {
  const answer = response_code ?? named(texts, 'webhookErrors', error);
  const next = when(texts, next_attempt_at);
  const isWaiting = state === 'pending' && next !== '';
  return html`${answer}
  ${isWaiting && html`<span class="quiet small">${texts.t('console.webhooks.nextTry', { when: next })}</span>`}`;
}

/** The one time that it is shown. */
function secretPage(visit: Visit, id: string, secret: string): Shown {
  const { t } = textsFor(visit);
  const whole = html`<div class="card stack">
    <h2>${t('console.apps.secretTitle')}</h2>
    <p class="alert warn">${t('console.apps.secretOnce')}</p>
    <p>${t('console.apps.secret')}: <code>${secret}</code></p>
    <p><a class="button" href="${address}/${id}">${t('common.continue')}</a></p>
  </div>`;
  return showSettings(visit, { tab: 'webhooks' }, whole);
}
