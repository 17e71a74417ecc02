import { z } from 'zod';
import { type Caller, merchant } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { html, type Html } from '../../kit/html';
import { page, Redirect, type Shown, type Visit } from '../../kit/pages/page';
import { ageRestrictionEndpoints } from '../../restrictions/age/endpoints';
import { countrySetEndpoints } from '../../restrictions/countrySets/endpoints';
import { domainRestrictionEndpoints } from '../../restrictions/domains/endpoints';
import { restrictionSettingsEndpoints } from '../../restrictions/settings/endpoints';
import { attempt, type Complaint } from '../layout/explain';
import { checkbox, complaints, field, form, select, submit, textarea } from '../layout/forms';
import { type Texts, textsFor } from '../layout/texts';
import { AnyForm, words } from './fields';
import { asking, IdPath, inConsole, listQuery, named, showInConsole } from './frame';
import { table } from './lists';

const mine = { ...inConsole, auth: merchant('restrictions:write') } as const;
const saving = { ...mine, method: 'post', form: AnyForm } as const;
type MerchantVisit = Visit & { caller: Caller };

export const restrictionPages = {
  showRestrictions: page({
    ...mine,
    method: 'get',
    path: '/console/restrictions',
    summary: 'Who may see the items, and where',
    query: z.object(listQuery),
    handler: (visit) => restrictionsPage(visit, { done: visit.query.done }),
  }),
  saveAge: page({
    ...saving,
    path: '/console/restrictions/age',
    summary: 'Sets the minimum age, or removes it',
    handler: async (visit) => {
      const { min_age: age = '' } = visit.form;
      return save(visit, 'age', () =>
        age === ''
          ? visit.call<unknown>(ageRestrictionEndpoints.deleteGlobalAge)
          : visit.call<unknown>(ageRestrictionEndpoints.setGlobalAge, { body: { min_age: age } }),
      );
    },
  }),
  saveAgeVerification: page({
    ...saving,
    path: '/console/restrictions/verification',
    summary: 'Sets whether and how ages are verified',
    handler: async (visit) => {
      const enabled = visit.form['age_verification_enabled'] ?? 'false';
      const body = { ...visit.form, age_verification_enabled: enabled, merchant_uuid: visit.caller.merchantUuid };
      return save(visit, 'verification', () =>
        visit.call(restrictionSettingsEndpoints.updateRestrictionSettings, { body }),
      );
    },
  }),
  addCountrySet: page({
    ...saving,
    path: '/console/restrictions/countries',
    summary: 'Creates a set of countries',
    handler: async (visit) => {
      const { countries, global } = visit.form;
      const body = { ...visit.form, countries: words(countries), global: global ?? 'false' };
      return save(visit, 'countries', () => visit.call(countrySetEndpoints.createCountrySet, { body }));
    },
  }),
  deleteCountrySetInConsole: page({
    ...mine,
    method: 'post',
    path: '/console/restrictions/countries/{id}/delete',
    summary: 'Deletes a set of countries',
    params: IdPath,
    handler: async (visit) => {
      const params = { country_set_id: visit.params.id };
      return save(visit, 'countries', () => visit.call(countrySetEndpoints.deleteCountrySet, { params }));
    },
  }),
  addDomains: page({
    ...saving,
    path: '/console/restrictions/domains',
    summary: 'Adds domains to a list',
    handler: async (visit) => {
      const { list = 'whitelist', domains } = visit.form;
      const sent = { params: { type: String(list) }, body: { domains: words(domains).map((domain) => ({ domain })) } };
      return save(visit, 'domains', () => visit.call<unknown>(domainRestrictionEndpoints.saveGlobalDomains, sent));
    },
  }),
  deleteDomain: page({
    ...saving,
    path: '/console/restrictions/domains/delete',
    summary: 'Removes a domain',
    handler: async (visit) => {
      const query = { domain: String(visit.form['domain']) };
      return save(visit, 'domains', () =>
        visit.call<unknown>(domainRestrictionEndpoints.deleteGlobalDomains, { query }),
      );
    },
  }),
};

type Part = 'age' | 'verification' | 'countries' | 'domains';

async function save(visit: MerchantVisit, part: Part, work: () => Promise<unknown>): Promise<Shown | Redirect> {
  const tried = await attempt(textsFor(visit), work);
  if ('refused' in tried) return restrictionsPage(visit, { part, complaint: tried.refused });
  return new Redirect('/console/restrictions?done=saved');
}

interface Tried {
  part?: Part;
  complaint?: Complaint;
  done?: string | undefined;
}

async function restrictionsPage(visit: MerchantVisit, { part, complaint, done }: Tried): Promise<Shown> {
  const texts = textsFor(visit);
  const of = (name: Part) => (part === name ? complaint : undefined);
  const place = { section: 'restrictions', title: texts.t('console.sections.restrictions'), done } as const;
  const whole = html`${await agePart(visit, texts, of('age'), of('verification'))}
  ${await countryPart(visit, texts, of('countries'))} ${await domainPart(visit, texts, of('domains'))}`;
  return showInConsole(visit, place, whole, complaint ? { status: 422 } : {});
}

async function agePart(
  visit: MerchantVisit,
  texts: Texts,
  wrongAge?: Complaint,
  wrongSettings?: Complaint,
): Promise<Html> {
  const { t } = texts;
  const age = await orNothing(() => visit.call(ageRestrictionEndpoints.getGlobalAge));
  const params = { merchant_uuid: visit.caller.merchantUuid };
  const settings = await visit.call(restrictionSettingsEndpoints.getRestrictionSettings, { params });
  const ageForm = form(visit, {
    action: '/console/restrictions/age',
    content: html`${complaints(texts, wrongAge, ['min_age'])}
    ${field(texts, { name: 'min_age', value: age?.min_age, label: t('console.restrictions.minAge'), hint: t('console.restrictions.minAgeHint'), inputmode: 'numeric', complaint: wrongAge })}
    ${submit(t('common.save'))}`,
  });
  const settingsForm = form(visit, {
    action: '/console/restrictions/verification',
    content: html`${complaints(texts, wrongSettings, [])}
    ${checkbox({ name: 'age_verification_enabled', label: t('console.restrictions.verify'), isChecked: settings.age_verification_enabled })}
    ${select(texts, {
      name: 'age_verification_type',
      value: settings.age_verification_type,
      label: t('console.restrictions.how'),
      choices: [
        ['basic', t('console.restrictions.basic')],
        ['pin_code', t('console.restrictions.pinCode')],
      ],
      isRequired: true,
    })}
    ${submit(t('common.save'))}`,
  });
  return html`<section class="card stack">
    <h2>${t('console.restrictions.age')}</h2>
    <div class="halves wide">${ageForm} ${settingsForm}</div>
  </section>`;
}

/** There may be none. */
async function orNothing<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError && error.status === 404) return undefined;
    throw error;
  }
}

function typeSelect(texts: Texts, name: 'type' | 'list'): Html {
  const { t } = texts;
  const types = ['whitelist', 'blacklist'] as const;
  const choices = types.map((type) => [type, t(`console.listTypes.${type}`)] as const);
  return select(texts, { name, label: t('console.fields.listType'), choices, isRequired: true });
}

async function countryPart(visit: MerchantVisit, texts: Texts, complaint: Complaint | undefined): Promise<Html> {
  const { t, language } = texts;
  const sets = await visit.call(countrySetEndpoints.listCountrySets);
  const names = new Intl.DisplayNames(language, { type: 'region' });
  const list = table({
    title: t('console.restrictions.countrySets'),
    rows: sets,
    empty: t('console.restrictions.noCountrySets'),
    columns: [
      { title: t('console.fields.name'), cell: ({ name }) => name },
      { title: t('console.fields.listType'), cell: ({ type }) => named(texts, 'listTypes', type) },
      {
        title: t('console.restrictions.everyItem'),
        cell: ({ global }) => (global ? t('console.yes') : t('console.no')),
      },
      {
        title: t('console.restrictions.countries'),
        cell: ({ countries }) => countries.map(({ country }) => names.of(country) ?? country).join(', '),
      },
      {
        title: t('console.fields.actions'),
        cell: ({ id }) =>
          asking(visit, {
            action: `/console/restrictions/countries/${id}/delete`,
            label: t('console.delete'),
            question: t('console.restrictions.deleteSetQuestion'),
          }),
      },
    ],
  });
  const content = html`${complaints(texts, complaint, ['name', 'countries'])}
    <div class="halves">
      ${field(texts, { name: 'name', label: t('console.fields.name'), complaint, isRequired: true })}
      ${typeSelect(texts, 'type')}
    </div>
    ${field(texts, { name: 'countries', label: t('console.restrictions.countries'), hint: t('console.restrictions.countriesHint'), complaint, isRequired: true })}
    ${checkbox({ name: 'global', label: t('console.restrictions.everyItem'), isChecked: true })}
    ${submit(t('console.restrictions.addSet'))}`;
  return html`<section class="stack">
    <h2>${t('console.restrictions.countrySets')}</h2>
    ${list}
    <details class="more" ${complaint ? 'open' : ''}>
      <summary>${t('console.restrictions.addSet')}</summary>
      <div class="card">${form(visit, { action: '/console/restrictions/countries', content })}</div>
    </details>
  </section>`;
}

async function domainPart(visit: MerchantVisit, texts: Texts, complaint: Complaint | undefined): Promise<Html> {
  const { t } = texts;
  const domains = await visit.call(domainRestrictionEndpoints.listGlobalDomains);
  const list = table({
    title: t('console.restrictions.domains'),
    rows: domains,
    empty: t('console.restrictions.noDomains'),
    columns: [
      { title: t('console.restrictions.domain'), cell: ({ domain }) => domain },
      { title: t('console.fields.listType'), cell: ({ type }) => named(texts, 'listTypes', type) },
      {
        title: t('console.fields.actions'),
        cell: ({ domain }) =>
          asking(visit, {
            action: '/console/restrictions/domains/delete',
            label: t('console.delete'),
            question: domain,
            fields: html`<input type="hidden" name="domain" value="${domain}" />`,
          }),
      },
    ],
  });
  const content = html`${complaints(texts, complaint, ['domains'])} ${typeSelect(texts, 'list')}
  ${textarea(texts, { name: 'domains', label: t('console.restrictions.domains'), hint: t('console.restrictions.domainsHint'), complaint, isRequired: true })}
  ${submit(t('console.restrictions.addDomains'))}`;
  return html`<section class="stack">
    <h2>${t('console.restrictions.domains')}</h2>
    ${list}
    <details class="more" ${complaint ? 'open' : ''}>
      <summary>${t('console.restrictions.addDomains')}</summary>
      <div class="card">${form(visit, { action: '/console/restrictions/domains', content })}</div>
    </details>
  </section>`;
}
