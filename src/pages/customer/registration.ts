import { accountEndpoints } from '../../accounts/accounts.endpoints';
import { registerFieldEndpoints } from '../../accounts/registerFields.endpoints';
import { html, type Html, type Written } from '../../kit/html';
import { restrictionSettingsEndpoints } from '../../restrictions/settings.endpoints';
import { attempt, type Complaint } from '../layout/explain';
import { complaints, field, form, submit } from '../layout/forms';
import { type Texts } from '../layout/texts';
import { type Authentication, type CustomerVisit, type Entry, socialButtons } from './entry';
import { metadataName, type RegisterField, registerFieldInput } from './registerFields';

/** The form of a new account: the common fields and the merchant's registration fields. */

export interface RegistrationOptions {
  registerFields: readonly RegisterField[];
  asksAge: boolean;
}

export async function readOptions({ visit, place: { merchant_uuid } }: CustomerVisit): Promise<RegistrationOptions> {
  const params = { merchant_uuid };
  const [fields, settings] = await Promise.all([
    visit.call(registerFieldEndpoints.listRegisterFields, { params }),
    visit.call(restrictionSettingsEndpoints.getRestrictionSettings, { params }),
  ]);
  return { registerFields: fields.collection, asksAge: settings.age_verification_enabled };
}

/**
 * The form of a registration. `comeBackTo` and `kept` are the same as at the sign-in. `asksAge`: the form has a date of
 * birth even if the merchant does not verify ages.
 */
export async function registerCard(
  at: CustomerVisit,
  {
    action,
    target,
    values = {},
    complaint,
    ...entry
  }: Entry & { comeBackTo: string; kept?: Written; asksAge?: boolean },
): Promise<Html> {
  const { texts, visit } = at;
  const { t } = texts;
  const { registerFields, asksAge: verifiesAges } = await readOptions(at);
  const asksAge = verifiesAges || entry.asksAge === true;
  const own = registerFields.map((one) => registerFieldInput(texts, one, values, complaint));
  const ownLabels = Object.fromEntries(registerFields.map(({ name, label }) => [metadataName(name), label]));
  const common = { complaint, isRequired: true } as const;
  const content = html`${complaints(texts, complaint, { ...standardLabels(texts), ...ownLabels })} ${entry.kept}
  ${field(texts, { ...common, name: 'full_name', label: t('common.fullName'), value: values['full_name'], autocomplete: 'name' })}
  ${field(texts, { ...common, name: 'username', label: t('common.email'), type: 'email', value: values['username'], autocomplete: 'email' })}
  ${field(texts, { ...common, name: 'password', label: t('common.password'), type: 'password', autocomplete: 'new-password', hint: t('paywall.passwordHint'), alsoNamed: ['password_confirmation'] })}
  ${asksAge ? field(texts, { ...common, name: 'date_of_birth', label: t('paywall.dateOfBirth'), type: 'date', value: values['date_of_birth'], autocomplete: 'bday' }) : ''}
  ${own} ${submit(t('paywall.register'), { isFull: true })}`;
  return html`<section class="card stack">
    <h2 tabindex="-1" ${complaint ? '' : html`data-focus`}>${t('paywall.registerTitle')}</h2>
    ${await socialButtons(at, entry.comeBackTo)} ${form(visit, { action, target, content, name: 'register' })}
  </section>`;
}

const standardLabels = ({ t }: Texts) => ({
  full_name: t('common.fullName'),
  username: t('common.email'),
  password: t('common.password'),
  date_of_birth: t('paywall.dateOfBirth'),
});

/** The new session, or the errors of the form. */
export async function createCustomer(
  { visit, texts, place }: CustomerVisit,
  fields: Record<string, unknown>,
): Promise<{ done: Authentication } | { refused: Complaint }> {
  const body = {
    ...fields,
    // The form has no confirmation field, because a mistyped password can be reset by mail.
    password_confirmation: fields['password'],
    type: 'consumer',
    client_id: place.merchant_uuid,
  };
  const outcome = await attempt(texts, () => visit.call(accountEndpoints.createAccount, { body }));
  if ('done' in outcome) return outcome;
  // Errors of fields that the form does not have are not shown.
  const shown = Object.entries(outcome.refused.fields).filter(([name]) => name !== 'password_confirmation');
  return { refused: { ...outcome.refused, fields: Object.fromEntries(shown) } };
}
