import { z } from 'zod';
import { billingDetailsEndpoints } from '../../tax/billingDetails.endpoints';
import { html, type Html } from '../../kit/html';
import { PageResponse, type Visit } from '../../kit/pages/page';
import { type AnswerOf } from '../layout/answers';
import { attempt, type Complaint } from '../layout/explain';
import { field, select } from '../layout/forms';
import { type Texts } from '../layout/texts';
import { countries } from './registerFields';
import { regionsOf } from './regions';

/** The address and tax number of a customer, at checkout and in the portal. */

const text = z.string().max(2000).optional();

const names = ['name', 'address_line', 'postal_code', 'city', 'region', 'country', 'tax_number'] as const;
type Name = (typeof names)[number];

/** The fields of a form have a prefix, because the checkout has other names too. */
export const billingForm = {
  billing_name: text,
  billing_address_line: text,
  billing_postal_code: text,
  billing_city: text,
  billing_region: text,
  billing_country: text,
  billing_tax_number: text,
};
export type BillingForm = Partial<Record<`billing_${Name}`, string | undefined>>;

export type Billing = AnswerOf<typeof billingDetailsEndpoints.getBillingDetails>;

/** Saves the details, if a form has them. Returns what is wrong with them. */
export async function saveBilling(visit: Visit, texts: Texts, sent: BillingForm): Promise<Complaint | undefined> {
  const { billing_country: country } = sent;
  if (country === undefined || country === '') return undefined;
  const before = await visit.call(billingDetailsEndpoints.getBillingDetails);
  const given: Record<string, string> = {
    ...Object.fromEntries(names.map((name) => [name, sent[`billing_${name}`] ?? ''])),
    region: regionIn(sent, before),
  };
  // A tax number that is not confirmed is looked up again.
  const isConfirmed = before.tax_number === '' || before.tax_number_confirmed_at !== null;
  if (isConfirmed && names.every((name) => given[name] === before[name])) return undefined;
  const tried = await attempt(texts, () => visit.call(billingDetailsEndpoints.setBillingDetails, { body: given }));
  if ('done' in tried) return undefined;
  const fields = Object.entries(tried.refused.fields).map(([name, told]) => [`billing_${name}`, told]);
  return { ...tried.refused, fields: Object.fromEntries(fields) as Record<string, string> };
}

/** The region of the sent address. A form that does not ask for it keeps one that belongs to the country. */
function regionIn({ billing_country: country = '', billing_region: region }: BillingForm, before: Billing): string {
  const sent = region ?? (country === before.country ? before.region : '');
  return sent.startsWith(`${country}-`) ? sent : '';
}

export const billingLabels = ({ t }: Texts): Record<keyof typeof billingForm, string> => ({
  billing_name: t('billing.name'),
  billing_address_line: t('billing.addressLine'),
  billing_postal_code: t('billing.postalCode'),
  billing_city: t('billing.city'),
  billing_region: t('billing.region'),
  billing_country: t('billing.country'),
  billing_tax_number: t('billing.taxNumber'),
});

export interface ShownBilling {
  /** The address of the page that shows the region field of a country. */
  regionAddress: string;
  stored: Billing;
  sent?: BillingForm | undefined;
  complaint?: Complaint | undefined;
}

const regionId = 'billing-region';
const toldId = `${regionId}-told`;

export function billingFields(texts: Texts, { regionAddress, stored, sent, complaint }: ShownBilling): Html {
  const labels = billingLabels(texts);
  const one = (name: Name) => ({
    name: `billing_${name}`,
    label: labels[`billing_${name}`],
    value: sent?.[`billing_${name}`] ?? stored[name],
    complaint,
  });
  const choices = [['', ''], ...countries(texts.language)] as const;
  const hint = texts.t('billing.taxNumberHint');
  const region = regionField(texts, { ...one('region'), country: sent?.billing_country ?? stored.country });
  const asksRegion = { 'hx-get': regionAddress, 'hx-target': `#${regionId}`, 'hx-swap': 'innerHTML' };
  return html`${select(texts, { ...one('country'), autocomplete: 'billing country', choices, more: asksRegion })}
    <div id="${regionId}">${region}</div>
    <p id="${toldId}" role="status" class="visually-hidden"></p>
    ${field(texts, { ...one('name'), autocomplete: 'billing organization' })}
    ${field(texts, { ...one('address_line'), autocomplete: 'billing street-address' })}
    ${field(texts, { ...one('postal_code'), autocomplete: 'billing postal-code' })}
    ${field(texts, { ...one('city'), autocomplete: 'billing address-level2' })}
    ${
      stored.removed_tax_number !== '' &&
      html`<p class="alert warn">${texts.t('billing.taxNumberRemoved', { number: stored.removed_tax_number })}</p>`
    }
    ${field(texts, { ...one('tax_number'), hint, autocomplete: 'off', more: { spellcheck: 'false', dir: 'ltr' } })}`;
}

/** Why a business pays no tax. Undefined for other customers. */
export function untaxedText({ t }: Texts, treatment: string): string | undefined {
  if (treatment === 'reverse_charge') return t('billing.reverseCharge');
  return treatment === 'outside_scope' ? t('billing.outsideScope') : undefined;
}

interface Region {
  country: string;
  value?: string | undefined;
  complaint?: Complaint | undefined;
}

/** Empty for a country whose address has no region. */
function regionField(texts: Texts, { country, value, complaint }: Region): Html {
  const regions = regionsOf(country);
  if (regions.length === 0) return html``;
  const label = billingLabels(texts).billing_region;
  const choices = [['', ''], ...regions] as const;
  const autocomplete = 'billing address-level1';
  return select(texts, { name: 'billing_region', label, value, complaint, choices, autocomplete });
}

export const regionQuery = { billing_country: text };

/**
 * The region field of a country that was chosen in the form, and what a screen reader says about it. Nothing is saved, so the
 * rest of the form and the focus stay.
 */
export async function showRegion(visit: Visit, texts: Texts, country = ''): Promise<PageResponse> {
  const { region } = await visit.call(billingDetailsEndpoints.getBillingDetails);
  const shown = regionField(texts, { country, value: region });
  const told = shown.text === '' ? '' : texts.t('billing.regionAsked');
  return new PageResponse(
    html`${shown}
      <p id="${toldId}" hx-swap-oob="innerHTML">${told}</p>`,
  );
}
