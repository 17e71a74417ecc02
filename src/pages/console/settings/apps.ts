import { z } from 'zod';
import { oauthAppEndpoints } from '../../../accounts/oauthApps/endpoints';
import { merchant } from '../../../kit/auth';
import { AppError } from '../../../kit/errors';
import { html, type Html } from '../../../kit/html';
import { page, type Shown, type Visit } from '../../../kit/pages/page';
import { attempt, type Complaint } from '../../layout/explain';
import { checkbox, complaints, field, form, submit, textarea } from '../../layout/forms';
import { textsFor } from '../../layout/texts';
import { AnyForm, words } from '../fields';
import { carryOut, asking, IdPath, inConsole, listQuery } from '../frame';
import { badge, table, fileOf } from '../lists';
import { showSettings } from './settings';

const mine = { ...inConsole, auth: merchant('apps:write') } as const;
const address = '/console/settings/apps';

export const appPages = {
  showApps: page({
    ...mine,
    method: 'get',
    path: address,
    summary: 'The OAuth apps',
    query: z.object(listQuery),
    handler: (visit) => appsPage(visit, { done: visit.query.done }),
  }),
  createAppInConsole: page({
    ...mine,
    method: 'post',
    path: address,
    summary: 'Creates an OAuth app, and shows its secret',
    form: AnyForm,
    handler: async (visit) => {
      const tried = await attempt(textsFor(visit), () => visit.call(oauthAppEndpoints.createApp, { body: visit.form }));
      if ('refused' in tried) return appsPage(visit, { complaint: tried.refused });
      return secretPage(visit, tried.done.client_id, tried.done.secret);
    },
  }),
  showApp: page({
    ...mine,
    method: 'get',
    path: `${address}/{id}`,
    summary: 'One OAuth app',
    params: IdPath,
    handler: (visit) => appPage(visit, visit.params.id),
  }),
  updateAppInConsole: page({
    ...mine,
    method: 'post',
    path: `${address}/{id}`,
    summary: 'Changes an OAuth app',
    params: IdPath,
    form: AnyForm,
    handler: async (visit) => {
      const { params, form: sent } = visit;
      const uris = words(sent['redirect_uris']);
      const body = {
        name: sent['name'],
        active: sent['active'] ?? 'false',
        sso: sent['sso'] ?? 'false',
        redirect_uris: uris.length > 0 ? uris : [''],
      };
      return carryOut(visit, {
        work: () => visit.call(oauthAppEndpoints.updateApp, { params, body }),
        again: (complaint) => appPage(visit, params.id, complaint),
        next: `${address}?done=saved`,
      });
    },
  }),
  deleteAppInConsole: page({
    ...mine,
    method: 'post',
    path: `${address}/{id}/delete`,
    summary: 'Deletes an OAuth app',
    params: IdPath,
    handler: async (visit) => {
      const { params } = visit;
      return carryOut(visit, {
        work: () => visit.call(oauthAppEndpoints.deleteApp, { params }),
        again: (complaint) => appsPage(visit, { complaint }),
        next: `${address}?done=deleted`,
      });
    },
  }),
  replaceSecretInConsole: page({
    ...mine,
    method: 'post',
    path: `${address}/{id}/secret`,
    summary: 'Replaces an OAuth app’s secret, and shows it',
    params: IdPath,
    handler: async (visit) => {
      const { secret } = await visit.call(oauthAppEndpoints.replaceAppSecret, { params: visit.params });
      return secretPage(visit, (await findApp(visit, visit.params.id)).client_id, secret);
    },
  }),
};

async function findApp(visit: Visit, id: string) {
  const { collection } = await visit.call(oauthAppEndpoints.listApps);
  const app = collection.find((each) => String(each.id) === id);
  if (!app) throw new AppError('app_not_found');
  return app;
}

async function appsPage(
  visit: Visit,
  { complaint, done }: { complaint?: Complaint; done?: string | undefined },
): Promise<Shown> {
  const texts = textsFor(visit);
  const { t } = texts;
  const { collection } = await visit.call(oauthAppEndpoints.listApps);
  const list = table({
    title: t('console.settings.apps'),
    rows: collection,
    empty: t('console.none'),
    columns: [
      { title: t('console.fields.name'), cell: ({ id, name }) => html`<a href="${address}/${id}">${name}</a>` },
      { title: t('console.apps.clientId'), cell: ({ client_id }) => html`<code>${client_id}</code>` },
      {
        title: t('console.fields.state'),
        cell: (app) =>
          html`${badge(texts, app.active === 1 ? 'active' : 'inactive')}
          ${app.default === 1 ? badge(texts, 'default') : ''}`,
      },
      { title: t('console.apps.grantTypes'), cell: ({ grantTypes }) => grantTypes.replaceAll(',', ', ') },
    ],
  });
  const content = html`${field(texts, { name: 'name', label: t('console.apps.newName'), isRequired: true })}
  ${submit(t('console.apps.create'))}`;
  const whole = html`${complaints(texts, complaint, ['name'])} ${list}
    ${fileOf(visit, texts, collection, { list: 'apps', query: {} })}
    <div class="card">${form(visit, { action: address, content })}</div>`;
  return showSettings(visit, { tab: 'apps', done }, whole, complaint ? { status: 422 } : {});
}

async function appPage(visit: Visit, id: string, complaint?: Complaint): Promise<Shown> {
  const texts = textsFor(visit);
  const { t } = texts;
  const app = await findApp(visit, id);
  const content = html`${complaints(texts, complaint, ['name', 'redirect_uris'])}
  ${field(texts, { name: 'name', value: app.name, label: t('console.fields.name'), complaint, isRequired: true })}
  ${textarea(texts, {
    name: 'redirect_uris',
    value: app.redirect_uris.join('\n'),
    label: t('console.apps.redirects'),
    hint: t('console.apps.redirectsHint'),
    complaint,
  })}
  ${checkbox({ name: 'active', label: t('console.apps.active'), isChecked: app.active === 1 })}
  ${checkbox({ name: 'sso', label: t('console.apps.sso'), isChecked: app.sso === 1 })} ${submit(t('common.save'))}`;
  const actions = html`${asking(visit, { action: `${address}/${id}/secret`, label: t('console.apps.replaceSecret'), question: t('console.apps.replaceSecretQuestion') })}
  ${asking(visit, { action: `${address}/${id}/delete`, label: t('console.delete'), question: t('console.apps.deleteQuestion') })}`;
  const whole = html`<div class="card stack">
    <h2>${app.name}</h2>
    <p><code>${app.client_id}</code></p>
    ${form(visit, { action: `${address}/${id}`, content })}
  </div>`;
  const back = { address, text: t('console.settings.apps') };
  return showSettings(visit, { tab: 'apps', actions, back }, whole, complaint ? { status: 422 } : {});
}

/** The one time that it is shown. */
function secretPage(visit: Visit, clientId: string, secret: string): Shown {
  const { t } = textsFor(visit);
  const whole: Html = html`<div class="card stack">
    <h2>${t('console.apps.secretTitle')}</h2>
    <p class="alert warn">${t('console.apps.secretOnce')}</p>
    <p>${t('console.apps.clientId')}: <code>${clientId}</code></p>
    <p>${t('console.apps.secret')}: <code>${secret}</code></p>
    <p><a class="button" href="${address}">${t('common.continue')}</a></p>
  </div>`;
  return showSettings(visit, { tab: 'apps' }, whole);
}
