import { html, type Html } from '../../kit/html';
import { type Complaint } from '../layout/explain';
import { field } from '../layout/forms';
import { type Texts } from '../layout/texts';

/** The fields for the bank account of a direct debit, with the mandate that the customer gives by sending them. */

export interface AccountForm {
  holder_name?: string | undefined;
  iban?: string | undefined;
}

/** The account in the fields of the endpoint that creates the mandate. */
export const accountOf = ({ holder_name: name, iban }: AccountForm) => ({ name, iban });

export function accountLabels({ t }: Texts): Record<string, string> {
  return { holder_name: t('paywall.accountHolder'), iban: t('paywall.iban') };
}

/** The errors of the endpoint, under the names of these fields. */
export function accountComplaint({ message, fields: { name, ...fields } }: Complaint): Complaint {
  return { message, fields: { ...fields, ...(name !== undefined && { holder_name: name }) } };
}

interface NewAccount {
  complaint: Complaint | undefined;
  /** The entered name. The IBAN is never written back. */
  name: string | undefined;
  /** The merchant's name in the mandate. */
  seller: string;
}

export function accountFields(texts: Texts, { complaint, name, seller }: NewAccount): Html {
  const { t } = texts;
  const labels = accountLabels(texts);
  const more = { dir: 'ltr', spellcheck: 'false', autocapitalize: 'characters' };
  return html`<fieldset class="stack">
    <legend class="visually-hidden">${t('paywall.sepaDebit')}</legend>
    ${field(texts, { name: 'holder_name', label: labels['holder_name'] ?? '', value: name, autocomplete: 'name', maxlength: 100, complaint, isRequired: true })}
    ${field(texts, { name: 'iban', label: labels['iban'] ?? '', autocomplete: 'off', placeholder: 'DE00 0000 0000 0000 0000 00', maxlength: 50, complaint, isRequired: true, more })}
    <p class="quiet small">${t('paywall.mandate', { seller })}</p>
  </fieldset>`;
}
