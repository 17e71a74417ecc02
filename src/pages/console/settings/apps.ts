import { oauthAppEndpoints } from '../../../accounts/apps.endpoints';
import { merchant } from '../../../kit/auth';
import { AppError } from '../../../kit/errors';
import { html, type Html } from '../../../kit/html';
import { type PageResponse, type Visit } from '../../../kit/pages/page';
import { copyable, copyableInRow } from '../../layout/copyable';
import { checkbox, complaints, field, form, submit, textarea } from '../../layout/forms';
import { named, type Texts, textsFor } from '../../layout/texts';
import { crudPages, type PageState, type VisitWith } from '../crudPages';
import { switches, words } from '../fields';
import { confirmButton, refusedIf } from '../frame';
import { badge, table, fileOf } from '../lists';
import { showSettings } from './settings';

const address = '/console/settings/apps';
const pages = crudPages({ address, auth: merchant('apps:write'), list: appsPage, one: appPage });
const { createApp, deleteApp, listApps, replaceAppSecret, updateApp } = oauthAppEndpoints;

export const appPages = {
  showApps: pages.list('The OAuth apps'),
  createAppInConsole: pages.create(
    'Creates an OAuth app, and shows its secret',
    ({ call, form: body }) => call(createApp, { body }),
    { next: ({ client_id, secret }, visit) => secretPage(visit, client_id, secret) },
  ),
  showApp: pages.show('One OAuth app'),
  updateAppInConsole: pages.update('Changes an OAuth app', ({ call, params, form: sent }) => {
    const redirect_uris = wordsOrNone(sent['redirect_uris']);
    const redirect_origins = wordsOrNone(sent['redirect_origins']);
    return call(updateApp, {
      params,
      body: { name: sent['name'], ...switches(sent, ['active', 'sso']), redirect_uris, redirect_origins },
    });
  }),
  deleteAppInConsole: pages.delete('Deletes an OAuth app', ({ call, params }) => call(deleteApp, { params }), {
    again: appsPage,
  }),
  replaceSecretInConsole: pages.act('secret')(
    'Replaces an OAuth app’s secret, and shows it',
    async (visit) => {
      const { secret } = await visit.call(replaceAppSecret, { params: visit.params });
      return { secret, app: await findApp(visit, visit.params.id) };
    },
    { again: undefined, next: ({ secret, app }, visit) => secretPage(visit, app.client_id, secret) },
  ),
};

/** The words of the field, or one empty element, by which the endpoint clears the list. */
function wordsOrNone(sent: Parameters<typeof words>[0]): string[] {
  const found = words(sent);
  return found.length > 0 ? found : [''];
}

async function findApp(visit: Visit, id: string) {
  const { collection } = await visit.call(listApps);
  const app = collection.find((each) => String(each.id) === id);
  if (!app) throw new AppError('app_not_found');
  return app;
}

async function appsPage(visit: Visit, { complaint, done }: PageState): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { t } = texts;
  const { collection } = await visit.call(listApps);
  const list = table({
    title: t('console.settings.apps'),
    rows: collection,
    empty: t('console.none'),
    columns: [
      { title: t('console.fields.name'), cell: ({ id, name }) => html`<a href="${address}/${id}">${name}</a>` },
      {
        title: t('console.apps.clientId'),
        cell: ({ client_id: value }) => copyableInRow(texts, { value, shown: html`<code>${value}</code>` }),
      },
      {
        title: t('console.fields.state'),
        cell: (app) =>
          html`${badge(texts, app.active === 1 ? 'active' : 'inactive')}
          ${app.default === 1 ? badge(texts, 'default') : ''}`,
      },
      { title: t('console.apps.grantTypes'), cell: ({ grantTypes }) => grantNames(texts, grantTypes) },
    ],
  });
  const content = html`${field(texts, { name: 'name', label: t('console.apps.newName'), isRequired: true })}
  ${submit(t('console.apps.create'))}`;
  const whole = html`${complaints(texts, complaint, ['name'])} ${list}
    ${fileOf(visit, texts, collection, { list: 'apps', query: {} })}
    <div class="card">${form(visit, { action: address, content })}</div>`;
  return showSettings(visit, { tab: 'apps', done }, whole, refusedIf(complaint));
}

/** The ways in which an app signs in, as texts. */
const grantNames = (texts: Texts, grantTypes: string) =>
  texts.series(grantTypes.split(',').map((name) => named(texts, 'grants', name.trim())));

async function appPage(visit: VisitWith<'id'>, { complaint }: PageState): Promise<PageResponse> {
  const { id } = visit.params;
  const texts = textsFor(visit);
  const { t } = texts;
  const app = await findApp(visit, id);
  const content = html`${complaints(texts, complaint, ['name', 'redirect_uris', 'redirect_origins'])}
  ${field(texts, { name: 'name', value: app.name, label: t('console.fields.name'), complaint, isRequired: true })}
  ${textarea(texts, {
    name: 'redirect_uris',
    value: app.redirect_uris.join('\n'),
    label: t('console.apps.redirects'),
    hint: t('console.apps.redirectsHint'),
    complaint,
  })}
  ${textarea(texts, {
    name: 'redirect_origins',
    value: app.redirect_origins.join('\n'),
    label: t('console.apps.origins'),
    hint: t('console.apps.originsHint'),
    complaint,
  })}
  ${checkbox({ name: 'active', label: t('console.apps.active'), isChecked: app.active === 1 })}
  ${checkbox({ name: 'sso', label: t('console.apps.sso'), isChecked: app.sso === 1 })} ${submit(t('common.save'))}`;
  const actions = html`${confirmButton(visit, { action: `${address}/${id}/secret`, label: t('console.apps.replaceSecret'), question: t('console.apps.replaceSecretQuestion') })}
  ${confirmButton(visit, { action: `${address}/${id}/delete`, label: t('console.delete'), question: t('console.apps.deleteQuestion') })}`;
  const whole = html`<div class="card stack">
    <h2>${app.name}</h2>
    <p>${copyable(texts, { value: app.client_id, name: t('console.apps.clientId') })}</p>
    ${form(visit, { action: `${address}/${id}`, content })}
  </div>`;
  const back = { address, text: t('console.settings.apps') };
  return showSettings(visit, { tab: 'apps', actions, back }, whole, refusedIf(complaint));
}

/** The page of the secret, which is shown only once. */
function secretPage(visit: Visit, clientId: string, secret: string): PageResponse {
  const texts = textsFor(visit);
  const { t } = texts;
  const whole: Html = html`<div class="card stack">
    <h2>${t('console.apps.secretTitle')}</h2>
    <p class="alert warn">${t('console.apps.secretOnce')}</p>
    <p>${t('console.apps.clientId')}: ${copyable(texts, { value: clientId, name: t('console.apps.clientId') })}</p>
    <p>${t('console.apps.secret')}: ${copyable(texts, { value: secret, name: t('console.apps.secret') })}</p>
    <p><a class="button" href="${address}">${t('common.continue')}</a></p>
  </div>`;
  return showSettings(visit, { tab: 'apps' }, whole);
}
