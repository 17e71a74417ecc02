import { z } from 'zod';
import { merchant } from '../../../kit/auth';
import { html, type Html } from '../../../kit/html';
import { page, type Shown } from '../../../kit/pages/page';
import { ageRestrictionEndpoints } from '../../../restrictions/age/endpoints';
import { countrySetEndpoints } from '../../../restrictions/countrySets/endpoints';
import { domainRestrictionEndpoints } from '../../../restrictions/domains/endpoints';
import { type Complaint } from '../../layout/explain';
import { complaints, form, select, submit } from '../../layout/forms';
import { type Texts, textsFor } from '../../layout/texts';
import { storedItem } from '../catalogue/items';
import { itemTabs } from '../catalogue/tabs';
import { AnyForm, words } from '../fields';
import { carryOut, IdPath, inConsole, listQuery, refusedIf, showInConsole } from '../frame';
import { ageForm, domainList, type MerchantVisit, orNothing } from './parts';
import { placesOf } from './sets';

const mine = { ...inConsole, auth: merchant('restrictions:write') } as const;
const path = '/console/items/{id}/restrictions';
const saving = { ...mine, method: 'post', params: IdPath, form: AnyForm } as const;

/** Who may see one item, and where: it takes the place of what holds for every item. */
export const itemRestrictionPages = {
  showItemRestrictions: page({
    ...mine,
    method: 'get',
    path,
    summary: 'Who may see an item, and where',
    params: IdPath,
    query: z.object(listQuery),
    handler: (visit) => itemRestrictionsPage(visit, { done: visit.query.done }),
  }),
  saveItemAge: page({
    ...saving,
    path: `${path}/age`,
    summary: 'Sets an item’s minimum age, or removes it',
    handler: (visit) => {
      const { min_age: age = '' } = visit.form;
      const params = { item_id: visit.params.id };
      const { deleteItemAge, setItemAge } = ageRestrictionEndpoints;
      return save(visit, 'age', () =>
        age === ''
          ? orNothing(() => visit.call<unknown>(deleteItemAge, { params }))
          : visit.call<unknown>(setItemAge, { params, body: { min_age: age } }),
      );
    },
  }),
  saveItemCountrySet: page({
    ...saving,
    path: `${path}/countries`,
    summary: 'Applies a set of countries to an item, or removes it',
    handler: (visit) => {
      const { country_set_id: setId = '' } = visit.form;
      const params = { item_id: visit.params.id };
      const { applyCountrySet, removeItemCountrySet } = countrySetEndpoints;
      return save(visit, 'countries', () =>
        setId === ''
          ? orNothing(() => visit.call<unknown>(removeItemCountrySet, { params }))
          : visit.call<unknown>(applyCountrySet, { params: { ...params, country_set_id: setId } }),
      );
    },
  }),
  addItemDomains: page({
    ...saving,
    path: `${path}/domains`,
    summary: 'Adds domains to an item’s list',
    handler: (visit) => {
      const { list = 'whitelist', domains } = visit.form;
      const body = { domains: words(domains).map((domain) => ({ domain })) };
      const params = { item_id: visit.params.id, type: list };
      return save(visit, 'domains', () => visit.call(domainRestrictionEndpoints.saveItemDomains, { params, body }));
    },
  }),
  deleteItemDomain: page({
    ...saving,
    path: `${path}/domains/delete`,
    summary: 'Removes a domain of an item',
    handler: (visit) => {
      const query = { domain: visit.form['domain'] };
      const params = { item_id: visit.params.id };
      return save(visit, 'domains', () => visit.call(domainRestrictionEndpoints.deleteItemDomains, { params, query }));
    },
  }),
};

type ItemVisit = MerchantVisit & { params: { id: string } };
type Part = 'age' | 'countries' | 'domains';

function save(visit: ItemVisit, part: Part, work: () => Promise<unknown>) {
  return carryOut(visit, {
    work,
    again: (complaint) => itemRestrictionsPage(visit, { part, complaint }),
    next: `/console/items/${visit.params.id}/restrictions?done=saved`,
  });
}

interface State {
  part?: Part;
  complaint?: Complaint;
  done?: string | undefined;
}

async function itemRestrictionsPage(visit: ItemVisit, { part, complaint, done }: State): Promise<Shown> {
  const texts = textsFor(visit);
  const { t } = texts;
  const { id } = visit.params;
  const params = { item_id: id };
  const own = `/console/items/${id}/restrictions`;
  const item = await storedItem(visit, id);
  const of = (name: Part) => (part === name ? complaint : undefined);
  const age = await orNothing(() => visit.call(ageRestrictionEndpoints.getItemAge, { params }));
  const domains = await orNothing(() => visit.call(domainRestrictionEndpoints.getItemDomains, { params }));
  const minimum = ageForm(visit, texts, {
    action: `${own}/age`,
    age: age?.min_age,
    label: t('console.restrictions.minAgeOfItem'),
    hint: t('console.restrictions.minAgeOfItemHint'),
    complaint: of('age'),
  });
  const place = {
    section: 'catalogue',
    title: item.title,
    back: { address: '/console/items', text: t('console.sections.catalogue') },
    done,
  } as const;
  const whole = html`${itemTabs(texts, id, '/restrictions')}
    <p class="quiet">
      ${t('console.restrictions.explainItem')}
      <a href="/console/restrictions">${t('console.sections.restrictions')}</a>
    </p>
    <div class="halves wide">
      <section class="card stack">
        <h2>${t('console.restrictions.age')}</h2>
        ${minimum}
      </section>
      ${await countryPart(visit, texts, of('countries'))}
    </div>
    ${domainList(visit, texts, {
      itemId: id,
      action: `${own}/domains`,
      rows: domains?.domains ?? [],
      empty: t('console.restrictions.noItemDomains'),
      complaint: of('domains'),
    })}`;
  return showInConsole(visit, place, whole, refusedIf(complaint));
}

async function countryPart(visit: ItemVisit, texts: Texts, complaint: Complaint | undefined): Promise<Html> {
  const { t } = texts;
  const { id } = visit.params;
  const sets = await visit.call(countrySetEndpoints.listCountrySets);
  const current = await orNothing(() => visit.call(countrySetEndpoints.getItemCountrySet, { params: { item_id: id } }));
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
