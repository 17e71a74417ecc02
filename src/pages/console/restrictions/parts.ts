import { AppError } from '../../../kit/errors';
import { html, type Html } from '../../../kit/html';
import { type Visit } from '../../../kit/pages/page';
import { domainRestrictionEndpoints } from '../../../restrictionSettings/domains.endpoints';
import { type Complaint } from '../../layout/explain';
import { complaints, field, form, select, submit, textarea } from '../../layout/forms';
import { named, type Texts } from '../../layout/texts';
import { asText, words } from '../fields';
import { confirmButton, folded } from '../frame';
import { table, fileOf, mayUse } from '../lists';

const { deleteGlobalDomains, deleteItemDomains } = domainRestrictionEndpoints;

/** Parts that the pages of general restrictions and of one item share. */

/** The result of the call. Undefined if the value does not exist. */
export async function ifFound<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError && error.status === 404) return undefined;
    throw error;
  }
}

export function typeSelect(texts: Texts, name: 'type' | 'list', value?: unknown): Html {
  const { t } = texts;
  const types = ['whitelist', 'blacklist'] as const;
  const choices = types.map((type) => [type, t(`console.listTypes.${type}`)] as const);
  return select(texts, { name, value: asText(value), label: t('console.fields.listType'), choices, isRequired: true });
}

interface AgeForm {
  action: string;
  age: number | undefined;
  label: string;
  hint: string;
  complaint: Complaint | undefined;
}

export function ageForm(visit: Visit, texts: Texts, { action, age, label, hint, complaint }: AgeForm): Html {
  const content = html`${complaints(texts, complaint, ['min_age'])}
  ${field(texts, { name: 'min_age', value: age, label, hint, inputmode: 'numeric', complaint })}
  ${submit(texts.t('common.save'))}`;
  return form(visit, { action, content });
}

/** The body of the endpoint, from the field with the domains. */
export const domainBody = (sent: unknown) => ({ domains: words(sent).map((domain) => ({ domain })) });

interface Domains {
  /** The item; absent for the general restrictions. */
  itemId?: string;
  /** The URL of the form that adds a domain. The form at `…/delete` removes one. */
  action: string;
  rows: readonly { domain: string; type: string }[];
  empty: string;
  complaint: Complaint | undefined;
}

/** The list of allowed or blocked domains. */
export function domainList(visit: Visit, texts: Texts, { itemId, action, rows, empty, complaint }: Domains): Html {
  const { t } = texts;
  const list = table({
    title: t('console.restrictions.domains'),
    rows,
    empty,
    columns: [
      { title: t('console.restrictions.domain'), cell: ({ domain }) => html`<bdi dir="ltr">${domain}</bdi>` },
      { title: t('console.fields.listType'), cell: ({ type }) => named(texts, 'listTypes', type) },
      {
        title: t('console.fields.actions'),
        cell: ({ domain }) =>
          mayUse(visit, itemId === undefined ? deleteGlobalDomains : deleteItemDomains) &&
          confirmButton(visit, {
            action: `${action}/delete`,
            label: t('console.delete'),
            question: t('console.restrictions.deleteDomainQuestion', { domain }),
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
    ${list} ${fileOf(visit, texts, rows, { list: 'domains', query: { item_id: itemId } })}
    ${folded(t('console.restrictions.addDomains'), html`<div class="card">${form(visit, { action, content })}</div>`, complaint !== undefined)}
  </section>`;
}
