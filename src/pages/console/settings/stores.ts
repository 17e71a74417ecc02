import { storeEndpoints } from '../../../stores/stores.endpoints';
import { merchant } from '../../../kit/auth';
import { AppError } from '../../../kit/errors';
import { html, type Html } from '../../../kit/html';
import { type PageResponse, type Visit } from '../../../kit/pages/page';
import { type AnswerOf, type RowOf } from '../../layout/answers';
import { type Complaint } from '../../layout/explain';
import { checkbox, complaints, field, form, select, submit, textarea } from '../../layout/forms';
import { named, type Texts, textsFor } from '../../layout/texts';
import { crudPages, formPage, type PageState, type VisitWith } from '../crudPages';
import { switches } from '../fields';
import { confirmButton, refusedIf } from '../frame';
import { badge, facts, when } from '../lists';
import { showSettings } from './settings';

const address = '/console/settings/stores';
const place = { feature: 'app_stores', auth: merchant('settings:write') } as const;
const pages = crudPages({ ...place, address, key: 'platform', list: storesPage, one: storePage });
const { deleteStore, getStoreSettings, listStores, testStore, updateStoreSettings } = storeEndpoints;

/** The credential fields of each store. A key has several lines. */
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
const platforms = Object.keys(stores) as Platform[];
/** The field that identifies the app. */
const appField = {
  apple: 'bundle_id',
  'google-play': 'package_name',
  amazon: 'package_name',
  roku: 'channel_id',
} as const;
const setting = {
  apple: storeEndpoints.setAppleStore,
  'google-play': storeEndpoints.setGooglePlayStore,
  amazon: storeEndpoints.setAmazonStore,
  roku: storeEndpoints.setRokuStore,
} as const;
/** The checkboxes of the policy, with the keys of their labels. */
const boxes = [
  ['sandbox_purchases', 'sandboxPurchases'],
  ['unmapped_products', 'unmappedProducts'],
  ['consumption_consent', 'consumptionConsent'],
] as const;
const boxNames = boxes.map(([name]) => name);

export const storePages = {
  showStores: pages.list('The app stores'),
  saveStoreSettings: formPage({
    ...place,
    path: address,
    summary: 'Sets the owner of a purchase and the handling of test purchases',
    work: ({ call, form }) => call(updateStoreSettings, { body: { ...form, ...switches(form, boxNames) } }),
    again: storesPage,
    next: `${address}?done=saved`,
  }),
  showStore: pages.show('The credentials of a store'),
  saveStore: pages.update('Saves the credentials of a store', (visit) =>
    visit.call(setting[platformOf(visit)], { body: visit.form }),
  ),
  testStoreInConsole: pages.act('test')(
    'Tests the credentials of a store',
    (visit) => visit.call(testStore, { params: { platform: platformOf(visit) } }),
    { again: storesPage, next: (outcome, visit) => storesPage(visit, { tested: visit.params.platform, outcome }) },
  ),
  forgetStore: pages.delete('Deletes the credentials of a store', (visit) =>
    visit.call(deleteStore, { params: { platform: platformOf(visit) } }),
  ),
};

function platformOf({ params }: VisitWith<'platform'>): Platform {
  const platform = platforms.find((name) => name === params.platform);
  if (!platform) throw new AppError('not_found');
  return platform;
}

type Outcome = AnswerOf<typeof testStore>;

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

/** `tested`: the platform whose credentials were tested. */
type State = PageState & { tested?: string; outcome?: Outcome };

async function storesPage(visit: Visit, { complaint, done, tested, outcome }: State): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { collection } = await visit.call(listStores);
  const cards = platforms.map((platform) => {
    const stored = collection.find((store) => store.platform === platform);
    return storeCard(visit, texts, platform, stored, platform === tested ? outcome : undefined);
  });
  const whole = html`${await policyForm(visit, texts, complaint)} ${cards}`;
  return showSettings(visit, { tab: 'stores', done }, whole, refusedIf(complaint));
}

type StoredStore = RowOf<typeof listStores>;

function storeCard(
  visit: Visit,
  texts: Texts,
  platform: Platform,
  stored: StoredStore | undefined,
  outcome?: Outcome,
): Html {
  const { t } = texts;
  const isSet = stored?.is_configured === true;
  const own = `${address}/${platform}`;
  const test = form(visit, { action: `${own}/test`, content: submit(t('console.stores.test'), { kind: 'slim' }) });
  const forget = confirmButton(visit, {
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
    ${outcome && outcomeOf(texts, outcome)}
  </section>`;
}

function storePage(visit: VisitWith<'platform'>, { complaint, values = {} }: PageState): PageResponse {
  const platform = platformOf(visit);
  const texts = textsFor(visit);
  const { t } = texts;
  const { title, fields } = stores[platform];
  const inputs = fields.map((name) => {
    const value = typeof values[name] === 'string' && !isSecret(name) ? values[name] : undefined;
    const options = { name, value, label: t(`console.stores.${name}`), complaint, isRequired: true };
    if (name === 'private_key') return textarea(texts, { ...options, more: { 'data-secret': '' } });
    return field(texts, isSecret(name) ? { ...options, type: 'password', autocomplete: 'off' } : options);
  });
  const content = html`${complaints(texts, complaint, fields)} ${inputs} ${submit(t('common.save'))}`;
  const whole = html`<div class="card stack">
    <h2>${title}</h2>
    <p class="quiet">${t('console.stores.secretHint')}</p>
    ${form(visit, { action: `${address}/${platform}`, content })}
  </div>`;
  const back = { address, text: t('console.settings.stores') };
  return showSettings(visit, { tab: 'stores', back }, whole, refusedIf(complaint));
}

const isSecret = (name: string) => ['private_key', 'shared_secret', 'partner_api_key'].includes(name);

async function policyForm(visit: Visit, texts: Texts, complaint: Complaint | undefined): Promise<Html> {
  const { t } = texts;
  const settings = await visit.call(getStoreSettings);
  const policies = ['keep', 'transfer_if_inactive', 'transfer'] as const;
  const content = html`${complaints(texts, complaint, [])}
  ${select(texts, {
    name: 'transfer_policy',
    value: settings.transfer_policy,
    label: t('console.stores.transferPolicy'),
    choices: policies.map((policy) => [policy, t(`console.stores.${policy}`)] as const),
    isRequired: true,
  })}
  ${boxes.map(([name, key]) => checkbox({ name, label: t(`console.stores.${key}`), isChecked: settings[name] }))}
  ${submit(t('common.save'))}`;
  return html`<section class="card">${form(visit, { action: address, content })}</section>`;
}
