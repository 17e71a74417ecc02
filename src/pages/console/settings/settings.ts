import { z } from 'zod';
import { settingsEndpoints } from '../../../accounts/settings/endpoints';
import { featureEndpoints } from '../../../features/endpoints';
import { merchant } from '../../../kit/auth';
import { html, type Html } from '../../../kit/html';
import { page, Redirect, type Shown, type ShownOptions, type Visit } from '../../../kit/pages/page';
import { type Complaint } from '../../layout/explain';
import { complaints, field, form, select, submit } from '../../layout/forms';
import { type Texts, textsFor } from '../../layout/texts';
import { AnyForm, asText, words } from '../fields';
import { carryOut, inConsole, listQuery, named, showInConsole } from '../frame';
import { badge, fileOf, table, tabs } from '../lists';

const mine = { ...inConsole, auth: merchant('settings:write') } as const;

export const settingsPages = {
  showSettings: page({
    ...mine,
    method: 'get',
    path: '/console/settings',
    summary: 'Sessions, and what follows a failed payment',
    query: z.object(listQuery),
    handler: (visit) => generalPage(visit, { done: visit.query.done }),
  }),
  saveSettings: page({
    ...mine,
    method: 'post',
    path: '/console/settings',
    summary: 'Changes them',
    form: AnyForm,
    handler: async (visit) => {
      const { retry_days: days, session_limit: limit, ...others } = visit.form;
      const body = { ...others, retry_days: words(days), session_limit: limit === '' ? '0' : limit };
      return carryOut(visit, {
        work: () => visit.call(settingsEndpoints.updateSettings, { body }),
        again: (complaint) => generalPage(visit, { complaint, values: visit.form }),
        next: '/console/settings?done=saved',
      });
    },
  }),
  showFeatures: page({
    ...mine,
    method: 'get',
    path: '/console/settings/features',
    summary: 'The feature flags',
    query: z.object(listQuery),
    handler: featuresPage,
  }),
  switchFeature: page({
    ...mine,
    method: 'post',
    path: '/console/settings/features/{name}',
    summary: 'Turns a feature on or off',
    params: z.object({ name: z.string() }),
    form: AnyForm,
    handler: async (visit) => {
      await visit.call(featureEndpoints.setFeature, { params: visit.params, body: visit.form });
      return new Redirect('/console/settings/features?done=saved');
    },
  }),
};

const pages = {
  general: '/console/settings',
  registration: '/console/settings/registration',
  apps: '/console/settings/apps',
  followers: '/console/settings/followers',
  webhooks: '/console/settings/webhooks',
  stores: '/console/settings/stores',
  features: '/console/settings/features',
} as const;
export type SettingsTab = keyof typeof pages;

/** Tabs of what can be turned off. */
const features: Partial<Record<SettingsTab, string>> = { webhooks: 'webhooks', stores: 'app_stores' };

interface SettingsPlace {
  tab: SettingsTab;
  done?: string | undefined;
  actions?: Html;
  back?: { address: string; text: string };
}

/** A page of the settings, below the way to the others. */
export function showSettings(visit: Visit, place: SettingsPlace, content: Html, options: ShownOptions = {}): Shown {
  const { t } = textsFor(visit);
  const visible = Object.entries(pages).filter(([name]) => !visit.isOff(features[name as SettingsTab] ?? ''));
  const links = visible.map(([name, address]) => [address, t(`console.settings.${name as SettingsTab}`)]);
  const named = Object.fromEntries(links) as Record<string, string>;
  const whole = html`${tabs(t('console.sections.settings'), named, pages[place.tab])} ${content}`;
  return showInConsole(visit, { ...place, section: 'settings', title: t('console.sections.settings') }, whole, options);
}

interface Tried {
  complaint?: Complaint;
  values?: Record<string, unknown>;
  done?: string | undefined;
}

async function generalPage(visit: Visit, { complaint, values = {}, done }: Tried): Promise<Shown> {
  const texts = textsFor(visit);
  const { t } = texts;
  const stored = await visit.call(settingsEndpoints.getSettings);
  const current: Record<string, unknown> = { ...stored, retry_days: stored.retry_days.join(', '), ...values };
  const known = (name: string) => ({ name, value: asText(current[name]), complaint });
  const graces = [0, 2, 7, 14, 21].map((days) => [String(days), t('periods.day', { count: days })] as const);
  const content = html`${complaints(texts, complaint, ['session_limit', 'grace_days', 'retry_days'])}
    <h2>${t('console.settings.sessions')}</h2>
    ${field(texts, { ...known('session_limit'), label: t('console.settings.sessionLimit'), hint: t('console.settings.sessionLimitHint'), inputmode: 'numeric' })}
    <h2>${t('console.settings.dunning')}</h2>
    ${select(texts, { ...known('grace_days'), label: t('console.settings.graceDays'), hint: t('console.settings.graceDaysHint'), choices: graces, isRequired: true })}
    ${field(texts, { ...known('retry_days'), label: t('console.settings.retryDays'), hint: t('console.settings.retryDaysHint'), isRequired: true })}
    ${submit(t('common.save'))}`;
  const whole = html`<div class="card">${form(visit, { action: '/console/settings', content })}</div>
    <p class="alert">
      ${t('console.settings.trialsHint')} <a href="/console/items">${t('console.sections.catalogue')}</a>
    </p>`;
  return showSettings(visit, { tab: 'general', done }, whole, complaint ? { status: 422 } : {});
}

async function featuresPage(visit: Visit & { query: { done?: string | undefined } }): Promise<Shown> {
  const texts = textsFor(visit);
  const { t } = texts;
  const features = await visit.call(featureEndpoints.listFeatures);
  const list = table({
    title: t('console.settings.features'),
    rows: features,
    empty: t('console.settings.noFeatures'),
    columns: [
      {
        title: t('console.fields.name'),
        cell: ({ name }) => html`${named(texts, 'features', name)} <code class="quiet small">${name}</code>`,
      },
      { title: t('console.fields.state'), cell: ({ enabled }) => badge(texts, enabled ? 'on' : 'off') },
      { title: t('console.fields.actions'), cell: (feature) => switchForm(visit, texts, feature) },
    ],
  });
  const whole = html`<p class="quiet">${t('console.settings.featuresHint')}</p>
    ${list} ${fileOf(visit, texts, features, { list: 'features', query: {} })}`;
  return showSettings(visit, { tab: 'features', done: visit.query.done }, whole);
}

function switchForm(visit: Visit, { t }: Texts, { name, enabled }: { name: string; enabled: boolean }): Html {
  const content = html`<input type="hidden" name="enabled" value="${String(!enabled)}" />
    ${submit(enabled ? t('console.settings.turnOff') : t('console.settings.turnOn'), { kind: 'slim' })}`;
  return form(visit, { action: `/console/settings/features/${name}`, content });
}
