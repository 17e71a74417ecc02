import { settingsEndpoints } from '../../../accounts/settings.endpoints';
import { featureEndpoints } from '../../../features/features.endpoints';
import { type Auth, master, merchant } from '../../../kit/auth';
import { html, type Html } from '../../../kit/html';
import { type PageResponse, type PageResponseOptions, type Visit } from '../../../kit/pages/page';
import { checkbox, complaints, field, form, select, submit } from '../../layout/forms';
import { named, type Texts, textsFor } from '../../layout/texts';
import { formPage, type PageState, showPage } from '../crudPages';
import { filled, switches, words } from '../fields';
import { refusedIf, showInConsole } from '../frame';
import { badge, fileOf, mayUse, table, tabs } from '../lists';

const auth = merchant('settings:write');
const general = { auth, path: '/console/settings' } as const;
const { getSettings, updateSettings } = settingsEndpoints;

export const settingsPages = {
  showSettings: showPage({ ...general, summary: 'The settings of sessions and failed payments', show: generalPage }),
  saveSettings: formPage({
    ...general,
    summary: 'Changes the settings of sessions and failed payments',
    work: ({ call, form: { retry_days: days, session_limit: limit, session_idle_minutes: idle, ...others } }) => {
      const limits = { session_limit: limit === '' ? '0' : limit, session_idle_minutes: idle === '' ? '0' : idle };
      const boxes = switches(others, ['card_expiry_reminders', 'setup_checklist']);
      const body = { ...others, ...boxes, ...limits, retry_days: words(days) };
      return call(updateSettings, { body });
    },
    again: generalPage,
    next: `${general.path}?done=saved`,
  }),
  showFeatures: showPage({
    auth,
    path: `${general.path}/features`,
    summary: 'The feature flags',
    show: featuresPage,
  }),
  switchFeature: formPage({
    auth,
    path: `${general.path}/features/{name}`,
    summary: 'Turns a feature on or off',
    work: ({ call, params, form: body }) => call(featureEndpoints.setFeature, { params, body }),
    next: `${general.path}/features?done=saved`,
  }),
};

const pages = {
  general: '/console/settings',
  payments: '/console/settings/payments',
  tax: '/console/settings/tax',
  registration: '/console/settings/registration',
  apps: '/console/settings/apps',
  followers: '/console/settings/followers',
  webhooks: '/console/settings/webhooks',
  stores: '/console/settings/stores',
  features: '/console/settings/features',
} as const;
export type SettingsTab = keyof typeof pages;

/** The tabs that need another right than the settings. */
const rights: Partial<Record<SettingsTab, Auth>> = {
  registration: merchant('accounts:write'),
  apps: merchant('apps:write'),
  followers: master(),
};

/** The tabs of features that can be turned off. */
const features: Partial<Record<SettingsTab, string>> = { webhooks: 'webhooks', stores: 'app_stores' };

interface SettingsPlace {
  tab: SettingsTab;
  done?: string | undefined;
  actions?: Html;
  back?: { address: string; text: string };
}

/** Shows a page of the settings, below the tabs. */
export function showSettings(
  visit: Visit,
  place: SettingsPlace,
  content: Html,
  options: PageResponseOptions = {},
): PageResponse {
  const { t } = textsFor(visit);
  const isVisible = (tab: SettingsTab) =>
    mayUse(visit, { auth: rights[tab] ?? auth }) && !visit.isOff(features[tab] ?? '');
  const visible = (Object.keys(pages) as SettingsTab[]).filter(isVisible);
  const links = visible.map((tab) => [pages[tab], t(`console.settings.${tab}`)]);
  const named = Object.fromEntries(links) as Record<string, string>;
  const whole = html`${tabs(t('console.sections.settings'), named, pages[place.tab])} ${content}`;
  return showInConsole(visit, { ...place, section: 'settings', title: t('console.sections.settings') }, whole, options);
}

const fields = [
  'session_limit',
  'session_idle_minutes',
  'grace_days',
  'retry_days',
  'retry_timing',
  'renewal_reminder_days',
  'refund_confirmation_above',
  'second_factor_policy',
] as const;

async function generalPage(visit: Visit, { complaint, values = {}, done }: PageState): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { t } = texts;
  const stored = await visit.call(getSettings);
  const known = filled({ ...stored, retry_days: stored.retry_days.join(', '), ...values }, complaint);
  const graces = [0, 2, 7, 14, 21].map((days) => [String(days), t('periods.day', { count: days })] as const);
  const timings = (['fixed', 'best'] as const).map((each) => [each, t(`console.settings.timings.${each}`)] as const);
  const policies = (['optional', 'required'] as const).map(
    (each) => [each, t(`console.settings.policies.${each}`)] as const,
  );
  const content = html`${complaints(texts, complaint, [...fields])}
    <h2>${t('console.settings.sessions')}</h2>
    ${field(texts, { ...known('session_limit'), label: t('console.settings.sessionLimit'), hint: t('console.settings.sessionLimitHint'), inputmode: 'numeric' })}
    ${field(texts, { ...known('session_idle_minutes'), label: t('console.settings.sessionIdle'), hint: t('console.settings.sessionIdleHint'), inputmode: 'numeric' })}
    <h2>${t('console.settings.dunning')}</h2>
    ${select(texts, { ...known('grace_days'), label: t('console.settings.graceDays'), hint: t('console.settings.graceDaysHint'), choices: graces, isRequired: true })}
    ${field(texts, { ...known('retry_days'), label: t('console.settings.retryDays'), hint: t('console.settings.retryDaysHint'), isRequired: true })}
    ${select(texts, { ...known('retry_timing'), label: t('console.settings.retryTiming'), hint: t('console.settings.retryTimingHint'), choices: timings, isRequired: true })}
    <h2>${t('console.settings.reminders')}</h2>
    ${checkbox({ name: 'card_expiry_reminders', label: t('console.settings.cardExpiryReminders'), isChecked: stored.card_expiry_reminders })}
    ${field(texts, { ...known('renewal_reminder_days'), label: t('console.settings.renewalReminderDays'), hint: t('console.settings.renewalReminderDaysHint'), inputmode: 'numeric' })}
    <h2>${t('console.settings.confirmations')}</h2>
    ${field(texts, { ...known('refund_confirmation_above'), label: t('console.settings.refundConfirmation'), hint: t('console.settings.refundConfirmationHint'), inputmode: 'numeric' })}
    ${select(texts, { ...known('second_factor_policy'), label: t('console.settings.secondFactorPolicy'), hint: t('console.settings.secondFactorPolicyHint'), choices: policies, isRequired: true })}
    <h2>${t('console.sections.overview')}</h2>
    ${checkbox({ name: 'setup_checklist', label: t('console.settings.setupChecklist'), isChecked: stored.setup_checklist })}
    ${submit(t('common.save'))}`;
  const whole = html`<div class="card">${form(visit, { action: '/console/settings', content })}</div>
    <p class="alert">
      ${t('console.settings.trialsHint')} <a href="/console/items">${t('console.sections.catalogue')}</a>
    </p>`;
  return showSettings(visit, { tab: 'general', done }, whole, refusedIf(complaint));
}

async function featuresPage(visit: Visit, { done }: PageState): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { t } = texts;
  const features = await visit.call(featureEndpoints.listFeatures);
  const list = table({
    title: t('console.settings.features'),
    rows: features,
    empty: t('console.settings.noFeatures'),
    hasLongTexts: true,
    columns: [
      {
        title: t('console.fields.name'),
        cell: ({ name }) => named(texts, 'features', name),
      },
      { title: t('console.fields.state'), cell: ({ enabled }) => badge(texts, enabled ? 'on' : 'off') },
      { title: t('console.fields.actions'), cell: (feature) => switchForm(visit, texts, feature) },
    ],
  });
  const whole = html`<p class="quiet">${t('console.settings.featuresHint')}</p>
    ${list} ${fileOf(visit, texts, features, { list: 'features', query: {} })}`;
  return showSettings(visit, { tab: 'features', done }, whole);
}

function switchForm(visit: Visit, { t }: Texts, { name, enabled }: { name: string; enabled: boolean }): Html {
  const content = html`<input type="hidden" name="enabled" value="${String(!enabled)}" />
    ${submit(enabled ? t('console.settings.turnOff') : t('console.settings.turnOn'), { kind: 'slim' })}`;
  return form(visit, { action: `/console/settings/features/${name}`, content });
}
