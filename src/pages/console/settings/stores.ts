import { z } from 'zod';
import { storeEndpoints } from '../../../externalPayments/stores/endpoints';
import { merchant } from '../../../kit/auth';
import { html, type Html } from '../../../kit/html';
import { page, Redirect, type Shown, type Visit } from '../../../kit/pages/page';
import { attempt, type Complaint } from '../../layout/explain';
import { checkbox, complaints, field, form, select, submit, textarea } from '../../layout/forms';
import { type Texts, textsFor } from '../../layout/texts';
import { AnyForm } from '../fields';
import { asking, carryOut, inConsole, listQuery, named } from '../frame';
import { badge, facts, when } from '../lists';
import { showSettings } from './settings';

const mine = { ...inConsole, feature: 'app_stores', auth: merchant('settings:write') } as const;
const address = '/console/settings/stores';

/** What each store's credentials are made of; a key takes many lines. */
const stores = {
  apple: { title: 'App Store', fields: ['bundle_id', 'app_apple_id', 'issuer_id', 'key_id', 'private_key'] },
  'google-play': {
    title: 'Google Play',
    fields: ['package_name', 'client_email', 'private_key', 'push_service_account', 'push_audience'],
  },
  amazon: { title: 'Amazon Appstore', fields: ['package_name', 'shared_secret', 'topic_arn'] },
  roku: { title: 'Roku', fields: ['partner_api_key', 'channel_id'] },
} as const;
type Platform = keyof typeof stores;
/** Which of them says what app it is. */
const appField = {
  apple: 'bundle_id',
  'google-play': 'package_name',
  amazon: 'package_name',
  roku: 'channel_id',
} as const;
const PlatformPath = z.object({ platform: z.enum(['apple', 'google-play', 'amazon', 'roku']) });

export const storePages = {
  showStores: page({
    ...mine,
    method: 'get',
    path: address,
    summary: 'The app stores',
    query: z.object(listQuery),
    handler: (visit) => storesPage(visit, { done: visit.query.done }),
  }),
  saveStoreSettings: page({
    ...mine,
    method: 'post',
    path: address,
    summary: 'Whose a purchase is, and whether test purchases count',
    form: AnyForm,
    handler: async (visit) => {
      const body = { ...visit.form, sandbox_purchases: visit.form['sandbox_purchases'] ?? 'false' };
      return carryOut(visit, {
        work: () => visit.call(storeEndpoints.updateStoreSettings, { body }),
        again: (complaint) => storesPage(visit, { complaint }),
        next: `${address}?done=saved`,
      });
    },
  }),
  showStore: page({
    ...mine,
    method: 'get',
    path: `${address}/{platform}`,
    summary: 'The credentials of a store',
    params: PlatformPath,
    handler: (visit) => Promise.resolve(storePage(visit, visit.params.platform)),
  }),
  saveStore: page({
    ...mine,
    method: 'post',
    path: `${address}/{platform}`,
    summary: 'Sets a store up',
    params: PlatformPath,
    form: AnyForm,
    handler: async (visit) => {
      const { platform } = visit.params;
      const { setAppleStore, setGooglePlayStore, setAmazonStore, setRokuStore } = storeEndpoints;
      const setting = {
        apple: setAppleStore,
        'google-play': setGooglePlayStore,
        amazon: setAmazonStore,
        roku: setRokuStore,
      };
      return carryOut(visit, {
        work: () => visit.call(setting[platform], { body: visit.form }),
        again: (complaint) => storePage(visit, platform, { complaint, values: visit.form }),
        next: `${address}?done=saved`,
      });
    },
  }),
  testStoreInConsole: page({
    ...mine,
    method: 'post',
    path: `${address}/{platform}/test`,
    summary: 'Asks the store whether it takes the credentials',
    params: PlatformPath,
    handler: async (visit) => {
      const { platform } = visit.params;
      const texts = textsFor(visit);
      const tried = await attempt(texts, () => visit.call(storeEndpoints.testStore, { params: { platform } }));
      if ('refused' in tried) return storesPage(visit, { complaint: tried.refused });
      return storesPage(visit, { platform, outcome: outcomeOf(texts, tried.done) });
    },
  }),
  forgetStore: page({
    ...mine,
    method: 'post',
    path: `${address}/{platform}/delete`,
    summary: 'Forgets the credentials of a store',
    params: PlatformPath,
    handler: async (visit) => {
      await visit.call(storeEndpoints.deleteStore, { params: visit.params });
      return new Redirect(`${address}?done=deleted`);
    },
  }),
};

interface Outcome {
  is_valid: boolean;
  problems: { field: string; message: string }[];
}

function outcomeOf(texts: Texts, { is_valid, problems }: Outcome): Html {
  const { t } = texts;
  if (is_valid) return html`<p class="alert good" role="status">${t('console.stores.valid')}</p>`;
  const list = problems.map(({ field: name, message }) => html`<li>${named(texts, 'stores', name)}: ${message}</li>`);
  return html`<div class="alert bad" role="alert" tabindex="-1" data-focus>
    <p>${t('console.stores.invalid')}</p>
    <ul>
      ${list}
    </ul>
  </div>`;
}

interface Tried {
  platform?: Platform;
  complaint?: Complaint;
  outcome?: Html;
  done?: string | undefined;
}

async function storesPage(visit: Visit, tried: Tried): Promise<Shown> {
  const texts = textsFor(visit);
  const { collection } = await visit.call(storeEndpoints.listStores);
  const cards = (Object.keys(stores) as Platform[]).map((platform) => {
    const stored = collection.find((store) => store.platform === platform);
    return storeCard(visit, texts, platform, stored, tried.platform === platform ? tried.outcome : undefined);
  });
  const whole = html`${await policyForm(visit, texts, tried.complaint)} ${cards}`;
  return showSettings(visit, { tab: 'stores', done: tried.done }, whole, tried.complaint ? { status: 422 } : {});
}

interface StoredStore {
  is_configured: boolean;
  app: string | null;
  updated_at: number | null;
}

function storeCard(
  visit: Visit,
  texts: Texts,
  platform: Platform,
  stored: StoredStore | undefined,
  outcome?: Html,
): Html {
  const { t } = texts;
  const isSet = stored?.is_configured === true;
  const own = `${address}/${platform}`;
  const test = form(visit, { action: `${own}/test`, content: submit(t('console.stores.test'), { kind: 'slim' }) });
  const forget = asking(visit, {
    action: `${own}/delete`,
    label: t('console.stores.forget'),
    question: t('console.stores.forgetQuestion'),
  });
  return html`<section class="card stack">
    <div class="row spread">
      <h2>${stores[platform].title} ${badge(texts, isSet ? 'configured' : 'not_configured')}</h2>
      <div class="row">
        ${isSet ? html`${test} ${forget}` : ''}
        <a class="button slim" href="${own}">${isSet ? t('console.stores.change') : t('console.stores.setUp')}</a>
      </div>
    </div>
    ${
      isSet &&
      facts([
        [t(`console.stores.${appField[platform]}`), stored.app ?? ''],
        [t('console.stores.savedAt'), when(texts, stored.updated_at ?? 0)],
      ])
    }
    ${outcome ?? ''}
  </section>`;
}

function storePage(
  visit: Visit,
  platform: Platform,
  { complaint, values = {} }: { complaint?: Complaint; values?: Record<string, unknown> } = {},
): Shown {
  const texts = textsFor(visit);
  const { t } = texts;
  const { title, fields } = stores[platform];
  const inputs = fields.map((name) => {
    const value = typeof values[name] === 'string' && !isSecret(name) ? values[name] : undefined;
    const options = { name, value, label: t(`console.stores.${name}`), complaint, isRequired: true };
    return name === 'private_key' ? textarea(texts, options) : field(texts, options);
  });
  const content = html`${complaints(texts, complaint, fields)} ${inputs} ${submit(t('common.save'))}`;
  const whole = html`<div class="card stack">
    <h2>${title}</h2>
    <p class="quiet">${t('console.stores.secretHint')}</p>
    ${form(visit, { action: `${address}/${platform}`, content })}
  </div>`;
  const back = { address, text: t('console.settings.stores') };
  return showSettings(visit, { tab: 'stores', back }, whole, complaint ? { status: 422 } : {});
}

const isSecret = (name: string) => ['private_key', 'shared_secret', 'partner_api_key'].includes(name);

async function policyForm(visit: Visit, texts: Texts, complaint: Complaint | undefined): Promise<Html> {
  const { t } = texts;
  const settings = await visit.call(storeEndpoints.getStoreSettings);
  const policies = ['keep', 'transfer_if_inactive', 'transfer'] as const;
  const content = html`${complaints(texts, complaint, [])}
  ${select(texts, {
    name: 'transfer_policy',
    value: settings.transfer_policy,
    label: t('console.stores.transferPolicy'),
    choices: policies.map((policy) => [policy, t(`console.stores.${policy}`)] as const),
    isRequired: true,
  })}
  ${checkbox({ name: 'sandbox_purchases', label: t('console.stores.sandboxPurchases'), isChecked: settings.sandbox_purchases })}
  ${submit(t('common.save'))}`;
  return html`<section class="card">${form(visit, { action: address, content })}</section>`;
}
