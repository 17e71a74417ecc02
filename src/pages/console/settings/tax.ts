import { merchant } from '../../../kit/auth';
import { html, type Html } from '../../../kit/html';
import { type PageResponse } from '../../../kit/pages/page';
import { shownPriceRules } from '../../../kit/shownPriceRules';
import { taxSettingsEndpoints } from '../../../tax/taxSettings.endpoints';
import { countries } from '../../customer/registerFields';
import { type AnswerOf } from '../../layout/answers';
import { type Complaint } from '../../layout/explain';
import { complaints, field, select, submit, textarea } from '../../layout/forms';
import { type Texts, textsFor } from '../../layout/texts';
import { crudPages, formPage, type PageState } from '../crudPages';
import { filled, type Values } from '../fields';
import { confirmButton, formCard, type MerchantVisit, refusedIf } from '../frame';
import { emptyCard } from '../../layout/lists';
import { showSettings } from './settings';

const auth = merchant('settings:write');
const home = '/console/settings/tax';
const address = `${home}/registrations`;
const { addTaxRegistration, getTaxSettings, removeTaxRegistration, setTaxProfile } = taxSettingsEndpoints;
const registrations = crudPages({ address, auth, list: taxPage, home });

/** The seller on invoices, its tax registrations, and the countries that need one. */
export const taxPages = {
  showTaxSettings: crudPages({ address: home, auth, list: taxPage }).list(
    'The seller on invoices and its registrations',
  ),
  saveTaxProfile: formPage({
    auth,
    path: home,
    summary: 'Names the seller on invoices',
    work: ({ call, form: body }) => call(setTaxProfile, { body }),
    again: taxPage,
    next: `${home}?done=saved`,
  }),
  addTaxRegistrationInConsole: registrations.create(
    'Adds a tax registration, or changes its number',
    ({ call, form }) => call(addTaxRegistration, { body: registrationOf(form) }),
  ),
  removeTaxRegistrationInConsole: registrations.delete(
    'Removes a tax registration',
    ({ call, params }) => call(removeTaxRegistration, { params }),
    { again: taxPage },
  ),
};

/** The names of the fields differ from those of the profile, because both forms are on one page. */
const registrationNames = ['country', 'region', 'scheme', 'number'] as const;

const registrationOf = (sent: Values): Values =>
  Object.fromEntries(registrationNames.map((name) => [name, sent[`registration_${name}`]]));

/** A refused registration names the fields of the endpoint. */
function complaintOf(complaint: Complaint | undefined, isRegistration: boolean): Complaint | undefined {
  if (!complaint || !isRegistration) return complaint;
  const fields = Object.entries(complaint.fields).map(([name, told]) => [`registration_${name}`, told] as const);
  return { ...complaint, fields: Object.fromEntries(fields) };
}

async function taxPage(visit: MerchantVisit, state: PageState): Promise<PageResponse> {
  const { values = {}, done } = state;
  const texts = textsFor(visit);
  const { t } = texts;
  const isRegistration = 'registration_scheme' in values;
  const complaint = complaintOf(state.complaint, isRegistration);
  const stored = await visit.call(getTaxSettings);
  const ofProfile = isRegistration ? undefined : complaint;
  const ofRegistration = isRegistration ? complaint : undefined;
  const content = html`<p class="quiet">${t('console.tax.explain')}</p>
    ${formCard(visit, home, profileFields(texts, { ...profileOf(stored), ...(isRegistration ? {} : values) }, ofProfile), t('console.tax.seller'))}
    ${stored.profile ? registrationPart(visit, texts, stored, isRegistration ? values : {}, ofRegistration) : ''}
    ${stored.not_recorded.length > 0 && notRecordedPart(texts, stored)}
    ${stored.missing.length > 0 && missingPart(texts, stored)}`;
  return showSettings(visit, { tab: 'tax', done }, content, refusedIf(state.complaint));
}

type Stored = AnswerOf<typeof getTaxSettings>;

const profileOf = ({ profile, prices_include_tax }: Stored): Values => ({
  ...profile,
  prices_include_tax: String(prices_include_tax),
});

const profileLabels = ({ t }: Texts) => ({
  seller_name: t('billing.name'),
  address_line: t('billing.addressLine'),
  postal_code: t('billing.postalCode'),
  city: t('billing.city'),
  country: t('billing.country'),
  tax_number: t('billing.taxNumber'),
  prices_include_tax: t('console.tax.prices'),
  shown_prices: t('console.tax.shownPrices'),
  calculation: t('console.tax.calculation'),
  item_kind: t('console.tax.itemKind'),
  time_zone: t('console.tax.timeZone'),
  invoice_note: t('console.tax.invoiceNote'),
});

const choicesOf = <Value extends string>(values: readonly Value[], textOf: (value: Value) => string) =>
  values.map((value) => [value, textOf(value)] as const);

function profileFields(texts: Texts, values: Values, complaint: Complaint | undefined): Html {
  const { t } = texts;
  const defaults = { item_kind: 'standard', time_zone: 'UTC', calculation: 'table', shown_prices: 'by_country' };
  const known = filled({ ...defaults, ...values }, complaint);
  const labels = profileLabels(texts);
  const taxBehaviors = choicesOf(['true', 'false'], (value) => t(`console.tax.pricesIncludeTax.${value}`));
  const forms = choicesOf(shownPriceRules, (rule) => t(`console.tax.shownPricesRules.${rule}`));
  const calculations = choicesOf(['table', 'provider'], (value) => t(`console.tax.calculations.${value}`));
  const kinds = choicesOf(['standard', 'ebook', 'press'], (kind) => t(`console.tax.kinds.${kind}`));
  const required = { isRequired: true } as const;
  return html`${complaints(texts, complaint, labels)}
  ${field(texts, { ...known('seller_name'), label: labels.seller_name, maxlength: 250, ...required })}
  ${field(texts, { ...known('address_line'), label: labels.address_line, maxlength: 250, ...required })}
  ${field(texts, { ...known('postal_code'), label: labels.postal_code, maxlength: 20, ...required })}
  ${field(texts, { ...known('city'), label: labels.city, maxlength: 120, ...required })}
  ${select(texts, { ...known('country'), label: labels.country, choices: [['', ''], ...countries(texts.language)], ...required })}
  ${field(texts, { ...known('tax_number'), label: labels.tax_number, maxlength: 40 })}
  ${select(texts, { ...known('prices_include_tax'), label: labels.prices_include_tax, hint: t('console.tax.pricesHint'), choices: taxBehaviors, ...required })}
  ${select(texts, { ...known('shown_prices'), label: labels.shown_prices, hint: t('console.tax.shownPricesHint'), choices: forms, ...required })}
  ${select(texts, { ...known('calculation'), label: labels.calculation, hint: t('console.tax.calculationHint'), choices: calculations, ...required })}
  ${select(texts, { ...known('item_kind'), label: labels.item_kind, choices: kinds, ...required })}
  ${field(texts, { ...known('time_zone'), label: labels.time_zone, hint: t('console.tax.timeZoneHint'), maxlength: 60 })}
  ${textarea(texts, { ...known('invoice_note'), label: labels.invoice_note, hint: t('console.tax.invoiceNoteHint'), maxlength: 500 })}
  ${submit(t('common.save'))}`;
}

function registrationPart(
  visit: MerchantVisit,
  texts: Texts,
  { profile, registrations: rows }: Stored,
  values: Values,
  complaint: Complaint | undefined,
): Html {
  const { t } = texts;
  const entries = rows.map(
    ({ id, country, region, scheme, number, has_rate: hasRate }) =>
      html`<li>
        <div class="tight">
          <p class="strong">
            ${region === '' ? texts.country(country) : region} · ${t(`console.tax.schemes.${scheme}`)}
          </p>
          ${number !== '' && html`<p class="quiet small"><bdi>${number}</bdi></p>`}
          ${!hasRate && html`<p class="small"><span class="badge warn">${t('console.tax.noRate')}</span> ${t('console.tax.noRateHint')}</p>`}
        </div>
        ${confirmButton(visit, {
          action: `${address}/${id}/delete`,
          label: t('console.delete'),
          question: t('console.tax.removeQuestion'),
        })}
      </li>`,
  );
  const list =
    rows.length === 0
      ? emptyCard(t('console.tax.noRegistrations'))
      : html`<ul class="card entries">
          ${entries}
        </ul>`;
  return html`<h2>${t('console.tax.registrations')}</h2>
    ${list}
    ${formCard(visit, address, registrationFields(texts, { registration_country: profile?.country, ...values }, complaint), t('console.tax.add'))}`;
}

function registrationFields(texts: Texts, values: Values, complaint: Complaint | undefined): Html {
  const { t } = texts;
  const known = filled(values, complaint);
  const labels = {
    registration_country: t('billing.country'),
    registration_region: t('console.tax.region'),
    registration_scheme: t('console.tax.scheme'),
    registration_number: t('console.tax.number'),
  };
  const schemes = (['domestic', 'oss', 'exempt', 'ioss'] as const).map(
    (scheme) => [scheme, t(`console.tax.schemes.${scheme}`)] as const,
  );
  return html`${complaints(texts, complaint, labels)}
  ${select(texts, { ...known('registration_country'), label: labels.registration_country, choices: countries(texts.language), isRequired: true })}
  ${field(texts, { ...known('registration_region'), label: labels.registration_region, hint: t('console.tax.regionHint'), maxlength: 6 })}
  ${select(texts, { ...known('registration_scheme'), label: labels.registration_scheme, choices: schemes, isRequired: true })}
  ${field(texts, { ...known('registration_number'), label: labels.registration_number, maxlength: 40 })}
  ${submit(t('console.tax.add'))}`;
}

/** Charges that differ between our reports and those of the provider. */
function notRecordedPart({ t }: Texts, { not_recorded: rows }: Stored): Html {
  const entries = rows.map(
    ({ transaction, problem }) =>
      html`<li>
        <div class="tight">
          <p class="strong"><bdi>${transaction}</bdi></p>
          <p class="quiet small"><bdi>${problem}</bdi></p>
        </div>
      </li>`,
  );
  return html`<h2>${t('console.tax.notRecorded.title')}</h2>
    <p class="quiet">${t('console.tax.notRecorded.hint')}</p>
    <ul class="card entries">
      ${entries}
    </ul>`;
}

/** The sales of the last year in countries without a registration. */
function missingPart(texts: Texts, { missing }: Stored): Html {
  const { t, money, number } = texts;
  const rows = missing.map(
    ({ country, treatment, sales, amount, currency_iso }) =>
      html`<li>
        <div class="tight">
          <p class="strong">${texts.country(country)}</p>
          <p class="quiet small">${t(`console.tax.missing.${treatment}`)}</p>
        </div>
        <p class="end">
          ${t('console.tax.missing.sales', { sales: number(sales), amount: money(amount, currency_iso) })}
        </p>
      </li>`,
  );
  return html`<h2>${t('console.tax.missing.title')}</h2>
    <ul class="card entries">
      ${rows}
    </ul>`;
}
