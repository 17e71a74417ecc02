import { merchant } from '../../../kit/auth';
import { html, type Html } from '../../../kit/html';
import { type PageResponse } from '../../../kit/pages/page';
import { ageRestrictionEndpoints } from '../../../restrictionSettings/age.endpoints';
import { domainRestrictionEndpoints } from '../../../restrictionSettings/domains.endpoints';
import { restrictionSettingsEndpoints } from '../../../restrictions/settings.endpoints';
import { type Complaint } from '../../layout/explain';
import { checkbox, complaints, form, select, submit } from '../../layout/forms';
import { type Texts, textsFor } from '../../layout/texts';
import { formPage, type PageState, showPage } from '../crudPages';
import { switches } from '../fields';
import { type MerchantVisit, refusedIf, showInConsole } from '../frame';
import { ageForm, domainBody, domainList, ifFound } from './parts';
import { countrySets, geoSets, setsPart } from './sets';

const address = '/console/restrictions';
const { deleteGlobalAge, getGlobalAge, setGlobalAge } = ageRestrictionEndpoints;
const { deleteGlobalDomains, listGlobalDomains, saveGlobalDomains } = domainRestrictionEndpoints;
const { getRestrictionSettings, updateRestrictionSettings } = restrictionSettingsEndpoints;

const auth = merchant('restrictions:write');
const saving = (part: Part) => ({
  auth,
  again: (visit: MerchantVisit, { complaint }: PageState) => restrictionsPage(visit, { part, complaint }),
  next: `${address}?done=saved`,
});

/** The restrictions of all items without their own restrictions. */
export const restrictionPages = {
  showRestrictions: showPage({
    auth,
    path: address,
    summary: 'The general restrictions',
    show: restrictionsPage,
  }),
  saveAge: formPage({
    ...saving('age'),
    path: `${address}/age`,
    summary: 'Sets the minimum age, or removes it',
    work: ({ call, form: { min_age = '' } }) =>
      min_age === ''
        ? ifFound(() => call<unknown>(deleteGlobalAge))
        : call<unknown>(setGlobalAge, { body: { min_age } }),
  }),
  saveAgeVerification: formPage({
    ...saving('verification'),
    path: `${address}/verification`,
    summary: 'Sets the age verification',
    work: ({ call, caller, form }) => {
      const body = { ...form, ...switches(form, ['age_verification_enabled']), merchant_uuid: caller.merchantUuid };
      return call(updateRestrictionSettings, { body });
    },
  }),
  addDomains: formPage({
    ...saving('domains'),
    path: `${address}/domains`,
    summary: 'Adds domains to a list',
    work: ({ call, form: { list = 'whitelist', domains } }) =>
      call<unknown>(saveGlobalDomains, { params: { type: list }, body: domainBody(domains) }),
  }),
  deleteDomain: formPage({
    ...saving('domains'),
    path: `${address}/domains/delete`,
    summary: 'Removes a domain',
    work: ({ call, form }) => call<unknown>(deleteGlobalDomains, { query: { domain: String(form['domain']) } }),
  }),
};

type Part = 'age' | 'verification' | 'countrySets' | 'geoSets' | 'domains';

/** `part`: the part of the page that contains the refused form. */
type State = PageState & { part?: Part };

export async function restrictionsPage(visit: MerchantVisit, { part, complaint, done }: State): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { t } = texts;
  const of = (name: Part) => (part === name ? complaint : undefined);
  const domains = await visit.call(listGlobalDomains);
  const place = { section: 'restrictions', title: t('console.sections.restrictions'), done } as const;
  const whole = html`<p class="quiet">${t('console.restrictions.explainAll')}</p>
    ${await agePart(visit, texts, of('age'), of('verification'))}
    ${await setsPart(visit, texts, countrySets, of('countrySets'))}
    ${await setsPart(visit, texts, geoSets, of('geoSets'))}
    ${domainList(visit, texts, {
      action: `${address}/domains`,
      rows: domains,
      empty: t('console.restrictions.noDomains'),
      complaint: of('domains'),
    })}`;
  return showInConsole(visit, place, whole, refusedIf(complaint));
}

async function agePart(
  visit: MerchantVisit,
  texts: Texts,
  wrongAge?: Complaint,
  wrongSettings?: Complaint,
): Promise<Html> {
  const { t } = texts;
  const age = await ifFound(() => visit.call(getGlobalAge));
  const params = { merchant_uuid: visit.caller.merchantUuid };
  const settings = await visit.call(getRestrictionSettings, { params });
  const minimum = ageForm(visit, texts, {
    action: `${address}/age`,
    age: age?.min_age,
    label: t('console.restrictions.minAge'),
    hint: t('console.restrictions.minAgeHint'),
    complaint: wrongAge,
  });
  const verification = form(visit, {
    action: `${address}/verification`,
    content: html`${complaints(texts, wrongSettings, [])}
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
    ${checkbox({ name: 'age_verification_enabled', label: t('console.restrictions.verify'), isChecked: settings.age_verification_enabled })}
    ${submit(t('common.save'))}`,
  });
  return html`<section class="card stack">
    <h2>${t('console.restrictions.age')}</h2>
    <div class="halves wide">${minimum} ${verification}</div>
  </section>`;
}
