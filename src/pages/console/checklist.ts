import { getSettings } from '../../accounts/settings';
import { settingsEndpoints } from '../../accounts/settings.endpoints';
import { hasOwnBrand } from '../../branding/branding';
import { findPricedItem } from '../../items/accessFees/accessFees';
import { itemEndpoints } from '../../items/items.endpoints';
import { merchant, type Scope } from '../../kit/auth';
import { html, type Html } from '../../kit/html';
import { isTestEnvironment } from '../../platform';
import { providerAccountEndpoints } from '../../subscriptions/provider/providerAccounts.endpoints';
import { taxSettingsEndpoints } from '../../tax/taxSettings.endpoints';
import { form, submit } from '../layout/forms';
import { icon } from '../layout/icons';
import { type Texts } from '../layout/texts';
import { formPage } from './crudPages';
import { type MerchantVisit } from './frame';
import { mayDo } from './lists';

/** The steps to the first sale, with what is done already. */

interface Step {
  name: 'payments' | 'item' | 'price' | 'branding' | 'seller' | 'sale' | 'testSale';
  /** The right to take the step. */
  scope: Scope;
  address: string;
  isDone: boolean;
}

const auth = merchant('settings:write');
const hiding = '/console/checklist/hide';

export const checklistPages = {
  hideChecklist: formPage({
    auth,
    path: hiding,
    summary: 'Hides the steps to the first sale',
    work: ({ call }) => call(settingsEndpoints.updateSettings, { body: { setup_checklist: 'false' } }),
    next: '/console?done=hidden',
  }),
};

/** The steps of a merchant without a sale, for a person who may change the settings. */
export async function checklist(visit: MerchantVisit, texts: Texts): Promise<Html> {
  if (!mayDo(visit, auth.scope)) return html``;
  const { setupChecklist } = await getSettings(visit.caller.merchantId);
  if (!setupChecklist) return html``;
  const { t } = texts;
  const steps = (await stepsOf(visit)).filter(({ scope }) => mayDo(visit, scope));
  const done = steps.filter(({ isDone }) => isDone).length;
  const progress = t('console.checklist.progress', { done, total: steps.length });
  const hide = form(visit, { action: hiding, content: submit(t('console.checklist.hide'), { kind: 'plain' }) });
  return html`<section class="card stack checklist">
    <div class="row spread">
      <h2>${t('console.checklist.title')}</h2>
      ${hide}
    </div>
    <div class="row">
      <progress max="${steps.length}" value="${done}" aria-label="${t('console.checklist.title')}"></progress>
      <span class="quiet small">${progress}</span>
    </div>
    <ol>
      ${steps.map((step, index) => lineOf(texts, step, index + 1))}
    </ol>
  </section>`;
}

function lineOf({ t }: Texts, { name, address, isDone }: Step, place: number): Html {
  const text = t(`console.checklist.${name}`);
  if (isDone)
    return html`<li>
      <span class="sign good">${icon('check')}</span>
      <span><span>${text}</span><span class="quiet small">${t('console.checklist.done')}</span></span>
    </li>`;
  return html`<li>
    <span class="sign strong" aria-hidden="true">${place}</span>
    <span>
      <a class="strong" href="${address}">${text}</a>
      <span class="quiet small">${t(`console.checklist.${name}Hint`)}</span>
    </span>
  </li>`;
}

async function stepsOf(visit: MerchantVisit): Promise<Step[]> {
  const { merchantId } = visit.caller;
  const provider = await visit.call(providerAccountEndpoints.getPaymentProvider);
  const { profile } = await visit.call(taxSettingsEndpoints.getTaxSettings);
  const item = await newestItem(visit);
  const pricedId = await findPricedItem(merchantId);
  const newItem = '/console/items/new';
  const newPrice = item === undefined ? newItem : `/console/items/${item}/fees/new`;
  // The sandbox and the account of the installation need nothing from the merchant.
  const isOwnAccount = provider.source === 'own' || provider.source === 'none';
  const payments = { name: 'payments', scope: 'settings:write', address: '/console/settings/payments' } as const;
  return [
    ...(isOwnAccount ? [{ ...payments, isDone: provider.can_sell }] : []),
    { name: 'item', scope: 'items:write', address: newItem, isDone: item !== undefined },
    { name: 'price', scope: 'items:write', address: newPrice, isDone: pricedId !== undefined },
    {
      name: 'branding',
      scope: 'branding:write',
      address: '/console/branding',
      isDone: await hasOwnBrand(merchantId),
    },
    { name: 'seller', scope: 'settings:write', address: '/console/settings/tax', isDone: profile !== null },
    saleOf(visit, pricedId, newPrice),
  ];
}

async function newestItem(visit: MerchantVisit): Promise<number | undefined> {
  if (!mayDo(visit, 'items:read')) return undefined;
  const { collection } = await visit.call(itemEndpoints.listItems, { query: { limit: 1, active: 'active' } });
  return collection[0]?.id;
}

/** In a test environment the merchant buys as a customer. Elsewhere the page of the item has its paywall to share. */
function saleOf({ caller }: MerchantVisit, pricedId: number | undefined, newPrice: string): Step {
  const shown = isTestEnvironment ? `/paywall/${caller.merchantUuid}/${pricedId}` : `/console/items/${pricedId}`;
  return {
    name: isTestEnvironment ? 'testSale' : 'sale',
    scope: 'items:read',
    address: pricedId === undefined ? newPrice : shown,
    isDone: false,
  };
}
