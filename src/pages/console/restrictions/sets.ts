import { html, type Html } from '../../../kit/html';
import { type Visit } from '../../../kit/pages/page';
import { countrySetEndpoints } from '../../../restrictionSettings/countrySets.endpoints';
import { geoSetEndpoints } from '../../../restrictionSettings/geoSets.endpoints';
import { type RowOf } from '../../layout/answers';
import { type Complaint } from '../../layout/explain';
import { checkbox, complaints, field, textarea } from '../../layout/forms';
import { named, type Texts } from '../../layout/texts';
import { filled, type FormState, isOn, lines, switches, type Values, words } from '../fields';
import { confirmButton } from '../frame';
import { type Column, fileOf, mayUse, table } from '../lists';
import { typeSelect } from './parts';

type CountrySet = RowOf<typeof countrySetEndpoints.listCountrySets>;
type GeoSet = RowOf<typeof geoSetEndpoints.listGeoSets>;
export type SetRow = CountrySet & Partial<Pick<GeoSet, 'regions' | 'cities'>>;

/** A kind of set: country sets or geo sets. Both have the same pages. */
export interface SetKind {
  name: 'countrySets' | 'geoSets';
  file: 'country-sets' | 'geo-sets';
  /** As the audit log names it. */
  object: 'country_set' | 'geo_set';
  address: `/console/restrictions/${string}`;
  list: (visit: Visit) => Promise<readonly SetRow[]>;
  get: (visit: Visit, id: string) => Promise<SetRow>;
  create: (visit: Visit, body: Values) => Promise<unknown>;
  update: (visit: Visit, id: string, body: Values) => Promise<unknown>;
  remove: (visit: Visit, id: string) => Promise<unknown>;
  mayRemove: (visit: Visit) => boolean;
  /** The body of the endpoint, from the form. */
  body: (sent: Values) => Values;
}

export const countrySets: SetKind = {
  name: 'countrySets',
  file: 'country-sets',
  object: 'country_set',
  address: '/console/restrictions/countries',
  list: (visit) => visit.call(countrySetEndpoints.listCountrySets),
  get: (visit, id) => visit.call(countrySetEndpoints.getCountrySet, { params: { country_set_id: id } }),
  create: (visit, body) => visit.call(countrySetEndpoints.createCountrySet, { body }),
  update: (visit, id, body) =>
    visit.call(countrySetEndpoints.updateCountrySet, { params: { country_set_id: id }, body }),
  remove: (visit, id) => visit.call(countrySetEndpoints.deleteCountrySet, { params: { country_set_id: id } }),
  mayRemove: (visit) => mayUse(visit, countrySetEndpoints.deleteCountrySet),
  body: (sent) => ({ ...sent, countries: words(sent['countries']), ...switches(sent, ['global']) }),
};

export const geoSets: SetKind = {
  name: 'geoSets',
  file: 'geo-sets',
  object: 'geo_set',
  address: '/console/restrictions/places',
  list: (visit) => visit.call(geoSetEndpoints.listGeoSets),
  get: (visit, id) => visit.call(geoSetEndpoints.getGeoSet, { params: { set_id: id } }),
  create: (visit, body) => visit.call(geoSetEndpoints.createGeoSet, { body }),
  update: (visit, id, body) => visit.call(geoSetEndpoints.updateGeoSet, { params: { set_id: id }, body }),
  remove: (visit, id) => visit.call(geoSetEndpoints.deleteGeoSet, { params: { set_id: id } }),
  mayRemove: (visit) => mayUse(visit, geoSetEndpoints.deleteGeoSet),
  body: (sent) => ({
    ...sent,
    countries: words(sent['countries']),
    regions: words(sent['regions']),
    cities: lines(sent['cities']).map(readCity),
    ...switches(sent, ['global']),
  }),
};

/** Reads `Skopje, MK` or `Portland, US, US-OR`: a name, which may have spaces, then the codes. */
function readCity(line: string): Values {
  const [name = '', country = '', region] = line.split(',').map((part) => part.trim());
  return { name, country, ...(region !== undefined && region !== '' && { region }) };
}

const writeCity = ({ name, country, region }: { name: string; country: string; region: string }) =>
  [name, country, ...(region === '' ? [] : [region])].join(', ');

/** The form values of a stored set. */
export function storedSet({ countries, regions = [], cities = [], ...own }: SetRow): Values {
  return {
    ...own,
    countries: countries.map(({ country }) => country).join(', '),
    regions: regions.map(({ name }) => name).join(', '),
    cities: cities.map(writeCity).join('\n'),
  };
}

/** Countries by name, and other places in the spelling of the merchant. */
export function placesOf({ country: nameOf, series }: Texts, { countries, regions = [], cities = [] }: SetRow): string {
  return series([
    // The countries of a geo set may contain regions.
    ...countries.map(({ country }) => nameOf(country)),
    ...regions.map(({ name }) => name),
    ...cities.map(({ name, country }) => `${name} (${country})`),
  ]);
}

export function setFields(texts: Texts, kind: SetKind, { values = {}, complaint }: FormState): Html {
  const { t } = texts;
  const known = filled(values, complaint);
  const isGeo = kind.name === 'geoSets';
  const countries = {
    ...known('countries'),
    label: t('console.restrictions.countries'),
    hint: t('console.restrictions.countriesHint'),
    isRequired: !isGeo,
  };
  const places = html`${field(texts, { ...known('regions'), label: t('console.restrictions.regions'), hint: t('console.restrictions.regionsHint') })}
  ${textarea(texts, { ...known('cities'), label: t('console.restrictions.cities'), hint: t('console.restrictions.citiesHint') })}`;
  return html`${complaints(texts, complaint, ['name', 'countries', 'regions', 'cities'])}
    <div class="halves">
      ${field(texts, { ...known('name'), label: t('console.fields.name'), isRequired: true })}
      ${typeSelect(texts, 'type', values['type'])}
    </div>
    ${field(texts, countries)} ${isGeo && places}
    ${checkbox({ name: 'global', label: t('console.restrictions.everyItem'), isChecked: isOn(values['global'] ?? true) })}`;
}

export async function setsPart(
  visit: Visit,
  texts: Texts,
  kind: SetKind,
  complaint: Complaint | undefined,
): Promise<Html> {
  const { t } = texts;
  const { name, address } = kind;
  const rows = await kind.list(visit);
  const list = table({
    title: t(`console.restrictions.${name}`),
    rows,
    empty: t(`console.restrictions.none.${name}`),
    columns: setColumns(visit, texts, kind),
  });
  return html`<section class="stack">
    <div class="row spread">
      <h2>${t(`console.restrictions.${name}`)}</h2>
      <a class="button slim" href="${address}/new">${t(`console.restrictions.add.${name}`)}</a>
    </div>
    <p class="quiet small">${t(`console.restrictions.explain.${name}`)}</p>
    ${complaints(texts, complaint, [])} ${list} ${fileOf(visit, texts, rows, { list: kind.file, query: {} })}
  </section>`;
}

function setColumns(visit: Visit, texts: Texts, kind: SetKind): Column<SetRow>[] {
  const { t } = texts;
  return [
    { title: t('console.fields.name'), cell: ({ id, name }) => html`<a href="${kind.address}/${id}">${name}</a>` },
    { title: t('console.fields.listType'), cell: ({ type }) => named(texts, 'listTypes', type) },
    { title: t('console.restrictions.everyItem'), cell: ({ global }) => t(global ? 'console.yes' : 'console.no') },
    { title: t('console.restrictions.where'), cell: (set) => placesOf(texts, set) },
    { title: t('console.fields.actions'), cell: ({ id }) => deleteSet(visit, texts, kind, id) },
  ];
}

export const deleteSet = (visit: Visit, { t }: Texts, { name, address, mayRemove }: SetKind, id: number | string) =>
  mayRemove(visit) &&
  confirmButton(visit, {
    action: `${address}/${id}/delete`,
    label: t('console.delete'),
    question: t(`console.restrictions.deleteQuestions.${name}`),
  });
