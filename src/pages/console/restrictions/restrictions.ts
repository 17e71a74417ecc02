import { z } from 'zod';
import { merchant } from '../../../kit/auth';
import { html, type Html } from '../../../kit/html';
import { page, type Shown } from '../../../kit/pages/page';
import { ageRestrictionEndpoints } from '../../../restrictions/age/endpoints';
import { domainRestrictionEndpoints } from '../../../restrictions/domains/endpoints';
import { restrictionSettingsEndpoints } from '../../../restrictions/settings/endpoints';
import { type Complaint } from '../../layout/explain';
import { checkbox, complaints, form, select, submit } from '../../layout/forms';
import { type Texts, textsFor } from '../../layout/texts';
import { AnyForm, switches, words } from '../fields';
import { carryOut, inConsole, listQuery, refusedIf, showInConsole } from '../frame';
import { ageForm, domainList, type MerchantVisit, orNothing } from './parts';
import { countrySets, geoSets, setsPart } from './sets';

const mine = { ...inConsole, auth: merchant('restrictions:write') } as const;
const saving = { ...mine, method: 'post', form: AnyForm } as const;
const address = '/console/restrictions';

/** Who may see the items, and where, as long as an item has no restrictions of its own. */
export const restrictionPages = {
  showRestrictions: page({
    ...mine,
    method: 'get',
    path: address,
    summary: 'Who may see the items, and where',
    query: z.object(listQuery),
    handler: (visit) => restrictionsPage(visit, { done: visit.query.done }),
  }),
  saveAge: page({
    ...saving,
    path: `${address}/age`,
    summary: 'Sets the minimum age, or removes it',
    handler: (visit) => {
      const { min_age: age = '' } = visit.form;
      const { deleteGlobalAge, setGlobalAge } = ageRestrictionEndpoints;
      return save(visit, 'age', () =>
        age === ''
          ? orNothing(() => visit.call<unknown>(deleteGlobalAge))
          : visit.call<unknown>(setGlobalAge, { body: { min_age: age } }),
      );
    },
  }),
  saveAgeVerification: page({
    ...saving,
    path: `${address}/verification`,
    summary: 'Sets whether and how ages are verified',
    handler: (visit) => {
      const { form: sent, caller } = visit;
      const body = { ...sent, ...switches(sent, ['age_verification_enabled']), merchant_uuid: caller.merchantUuid };
      return save(visit, 'verification', () =>
        visit.call(restrictionSettingsEndpoints.updateRestrictionSettings, { body }),
      );
    },
  }),
  addDomains: page({
    ...saving,
    path: `${address}/domains`,
    summary: 'Adds domains to a list',
    handler: (visit) => {
      const { list = 'whitelist', domains } = visit.form;
      const sent = { params: { type: list }, body: { domains: words(domains).map((domain) => ({ domain })) } };
      return save(visit, 'domains', () => visit.call<unknown>(domainRestrictionEndpoints.saveGlobalDomains, sent));
    },
  }),
  deleteDomain: page({
    ...saving,
    path: `${address}/domains/delete`,
    summary: 'Removes a domain',
    handler: (visit) => {
      const query = { domain: String(visit.form['domain']) };
      return save(visit, 'domains', () =>
        visit.call<unknown>(domainRestrictionEndpoints.deleteGlobalDomains, { query }),
      );
    },
  }),
};

type Part = 'age' | 'verification' | 'countrySets' | 'geoSets' | 'domains';

function save(visit: MerchantVisit, part: Part, work: () => Promise<unknown>) {
  return carryOut(visit, {
    work,
    again: (complaint) => restrictionsPage(visit, { part, complaint }),
    next: `${address}?done=saved`,
  });
}

interface State {
  /** What was tried. */
  part?: Part;
  complaint?: Complaint;
  done?: string | undefined;
}

export async function restrictionsPage(visit: MerchantVisit, { part, complaint, done }: State): Promise<Shown> {
  const texts = textsFor(visit);
  const { t } = texts;
  const of = (name: Part) => (part === name ? complaint : undefined);
  const domains = await visit.call(domainRestrictionEndpoints.listGlobalDomains);
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
  const age = await orNothing(() => visit.call(ageRestrictionEndpoints.getGlobalAge));
  const params = { merchant_uuid: visit.caller.merchantUuid };
  const settings = await visit.call(restrictionSettingsEndpoints.getRestrictionSettings, { params });
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
    <div class="halves wide">${minimum} ${verification}</div>
  </section>`;
}
