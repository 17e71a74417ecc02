import { merchant } from '../../../kit/auth';
import { html, type Html } from '../../../kit/html';
import { type PageResponse } from '../../../kit/pages/page';
import { ageRestrictionEndpoints } from '../../../restrictionSettings/age.endpoints';
import { countrySetEndpoints } from '../../../restrictionSettings/countrySets.endpoints';
import { domainRestrictionEndpoints } from '../../../restrictionSettings/domains.endpoints';
import { type Complaint } from '../../layout/explain';
import { complaints, form, select, submit } from '../../layout/forms';
import { type Texts, textsFor } from '../../layout/texts';
import { storedItem } from '../catalogue/items';
import { itemTabs } from '../catalogue/tabs';
import { formPage, type PageState, showPage, type VisitWith } from '../crudPages';
import { refusedIf, showInConsole } from '../frame';
import { ageForm, domainBody, domainList, ifFound } from './parts';
import { placesOf } from './sets';

const path = '/console/items/{id}/restrictions';
const { deleteItemAge, getItemAge, setItemAge } = ageRestrictionEndpoints;
const { applyCountrySet, getItemCountrySet, listCountrySets, removeItemCountrySet } = countrySetEndpoints;
const { deleteItemDomains, getItemDomains, saveItemDomains } = domainRestrictionEndpoints;

const auth = merchant('restrictions:write');
const saving = (part: Part) => ({
  auth,
  again: (visit: ItemVisit, { complaint }: PageState) => itemRestrictionsPage(visit, { part, complaint }),
  next: `${path}?done=saved`,
});

/** The restrictions of one item, which replace the general ones. */
export const itemRestrictionPages = {
  showItemRestrictions: showPage({
    auth,
    path,
    summary: 'The restrictions of an item',
    show: itemRestrictionsPage,
  }),
  saveItemAge: formPage({
    ...saving('age'),
    path: `${path}/age`,
    summary: 'Sets an item’s minimum age, or removes it',
    work: ({ call, params: { id: item_id }, form: { min_age = '' } }) =>
      min_age === ''
        ? ifFound(() => call<unknown>(deleteItemAge, { params: { item_id } }))
        : call<unknown>(setItemAge, { params: { item_id }, body: { min_age } }),
  }),
  saveItemCountrySet: formPage({
    ...saving('countries'),
    path: `${path}/countries`,
    summary: 'Applies a set of countries to an item, or removes it',
    work: ({ call, params: { id: item_id }, form: { country_set_id = '' } }) =>
      country_set_id === ''
        ? ifFound(() => call<unknown>(removeItemCountrySet, { params: { item_id } }))
        : call<unknown>(applyCountrySet, { params: { item_id, country_set_id } }),
  }),
  addItemDomains: formPage({
    ...saving('domains'),
    path: `${path}/domains`,
    summary: 'Adds domains to an item’s list',
    work: ({ call, params, form: { list = 'whitelist', domains } }) =>
      call(saveItemDomains, { params: { item_id: params.id, type: list }, body: domainBody(domains) }),
  }),
  deleteItemDomain: formPage({
    ...saving('domains'),
    path: `${path}/domains/delete`,
    summary: 'Removes a domain of an item',
    work: ({ call, params, form: { domain } }) =>
      call(deleteItemDomains, { params: { item_id: params.id }, query: { domain } }),
  }),
};

type ItemVisit = VisitWith<'id'>;
type Part = 'age' | 'countries' | 'domains';
type State = PageState & { part?: Part };

async function itemRestrictionsPage(visit: ItemVisit, { part, complaint, done }: State): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { t } = texts;
  const { id } = visit.params;
  const item = await storedItem(visit, id);
  const of = (name: Part) => (part === name ? complaint : undefined);
  const domains = await ifFound(() => visit.call(getItemDomains, { params: { item_id: id } }));
  const place = {
    section: 'catalogue',
    title: item.title,
    back: { address: '/console/items', text: t('console.sections.catalogue') },
    done,
  } as const;
  const whole = html`${itemTabs(visit, texts, id, '/restrictions')}
    <p class="quiet">
      ${t('console.restrictions.explainItem')}
      <a href="/console/restrictions">${t('console.sections.restrictions')}</a>
    </p>
    <div class="halves wide">
      ${await agePart(visit, texts, of('age'))} ${await countryPart(visit, texts, of('countries'))}
    </div>
    ${domainList(visit, texts, {
      itemId: id,
      action: `/console/items/${id}/restrictions/domains`,
      rows: domains?.domains ?? [],
      empty: t('console.restrictions.noItemDomains'),
      complaint: of('domains'),
    })}`;
  return showInConsole(visit, place, whole, refusedIf(complaint));
}

async function agePart(visit: ItemVisit, texts: Texts, complaint: Complaint | undefined): Promise<Html> {
  const { t } = texts;
  const { id } = visit.params;
  const age = await ifFound(() => visit.call(getItemAge, { params: { item_id: id } }));
  const minimum = ageForm(visit, texts, {
    action: `/console/items/${id}/restrictions/age`,
    age: age?.min_age,
    label: t('console.restrictions.minAgeOfItem'),
    hint: t('console.restrictions.minAgeOfItemHint'),
    complaint,
  });
  return html`<section class="card stack">
    <h2>${t('console.restrictions.age')}</h2>
    ${minimum}
  </section>`;
}

async function countryPart(visit: ItemVisit, texts: Texts, complaint: Complaint | undefined): Promise<Html> {
  const { t } = texts;
  const { id } = visit.params;
  const sets = await visit.call(listCountrySets);
  const current = await ifFound(() => visit.call(getItemCountrySet, { params: { item_id: id } }));
  const content = html`${complaints(texts, complaint, ['country_set_id'])}
  ${select(texts, {
    name: 'country_set_id',
    value: current?.id,
    label: t('console.restrictions.countrySet'),
    hint: current ? placesOf(texts, current) : t('console.restrictions.countrySetHint'),
    choices: [['', t('console.restrictions.asEveryItem')], ...sets.map((set) => [String(set.id), set.name] as const)],
    complaint,
    isRequired: true,
  })}
  ${submit(t('common.save'))}`;
  return html`<section class="card stack">
    <h2>${t('console.restrictions.countrySets')}</h2>
    ${form(visit, { action: `/console/items/${id}/restrictions/countries`, content })}
  </section>`;
}
