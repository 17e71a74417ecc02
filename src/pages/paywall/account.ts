import { accountEndpoints } from '../../accounts/endpoints';
import { passwordResetEndpoints } from '../../accounts/passwordReset/endpoints';
import { registerFieldEndpoints } from '../../accounts/registerFields/endpoints';
import { socialEndpoints } from '../../accounts/social/endpoints';
import { type Answering, type Endpoint } from '../../kit/endpoint';
import { html, type Html } from '../../kit/html';
import { type Shown } from '../../kit/pages/page';
import { restrictionSettingsEndpoints } from '../../restrictions/settings/endpoints';
import { attempt, type Complaint } from '../layout/explain';
import {
  checkbox,
  complaints,
  field,
  type FieldOptions,
  form,
  radios,
  select,
  submit,
  textarea,
} from '../layout/forms';
import { type Texts } from '../layout/texts';
import { address, type Paywall, stage, stageId, stepLink } from './parts';

export type Fields = Record<string, string | undefined>;

interface AccountState {
  values?: Fields;
  complaint?: Complaint;
  gift?: string | undefined;
}

/** What the merchant asks for, besides name, address and password. */
export async function registerStage(paywall: Paywall, state: AccountState = {}): Promise<Shown> {
  const { texts, visit, place } = paywall;
  const { t } = texts;
  const { values = {}, complaint } = state;
  const { merchant_uuid } = place;
  const params = { merchant_uuid };
  const [asked, { age_verification_enabled: asksAge }] = await Promise.all([
    visit.call(registerFieldEndpoints.listRegisterFields, { params }),
    visit.call(restrictionSettingsEndpoints.getRestrictionSettings, { params }),
  ]);
  const own = asked.collection.map((one) => registerField(paywall, one, values, complaint));
  const ownLabels = Object.fromEntries(asked.collection.map(({ name, label }) => [metadataName(name), label]));
  const common = { complaint, isRequired: true } as const;
  const content = html`${complaints(texts, complaint, { ...standardLabels(texts), ...ownLabels })} ${keptChoice(state)}
  ${field(texts, { ...common, name: 'full_name', label: t('common.fullName'), value: values['full_name'], autocomplete: 'name' })}
  ${field(texts, { ...common, name: 'username', label: t('common.email'), type: 'email', value: values['username'], autocomplete: 'email' })}
  ${field(texts, { ...common, name: 'password', label: t('common.password'), type: 'password', autocomplete: 'new-password', hint: t('paywall.passwordHint'), alsoNamed: ['password_confirmation'] })}
  ${asksAge ? field(texts, { ...common, name: 'date_of_birth', label: t('paywall.dateOfBirth'), type: 'date', value: values['date_of_birth'], autocomplete: 'bday' }) : ''}
  ${own} ${submit(t('paywall.register'), { isFull: true })}`;
  const body = html`<section class="card stack">
      <h2 tabindex="-1" ${complaint ? '' : html`data-focus`}>${t('paywall.registerTitle')}</h2>
      ${await socialButtons(paywall)}
      ${form(visit, { action: address(paywall, 'register'), target: stageId, content, name: 'register' })}
    </section>
    <p class="centred">
      ${t('paywall.haveAccount')} ${stepLink(paywall, withGift({ step: 'sign-in' }, state), t('common.signIn'))}
    </p>`;
  return stage(paywall, body, complaint ? { status: 422 } : {});
}

const standardLabels = ({ t }: Texts) => ({
  full_name: t('common.fullName'),
  username: t('common.email'),
  password: t('common.password'),
  date_of_birth: t('paywall.dateOfBirth'),
});

const metadataName = (name: string) => `metadata.${name}`;

export async function signInStage(paywall: Paywall, state: AccountState = {}): Promise<Shown> {
  const { texts, visit } = paywall;
  const { t } = texts;
  const { values = {}, complaint } = state;
  const common = { complaint, isRequired: true } as const;
  const content = html`${complaints(texts, complaint, standardLabels(texts))} ${keptChoice(state)}
  ${field(texts, { ...common, name: 'username', label: t('common.email'), type: 'email', value: values['username'], autocomplete: 'username' })}
  ${field(texts, { ...common, name: 'password', label: t('common.password'), type: 'password', autocomplete: 'current-password' })}
  ${submit(t('common.signIn'), { isFull: true })}`;
  const body = html`<section class="card stack">
      <h2 tabindex="-1" ${complaint ? '' : html`data-focus`}>${t('common.signIn')}</h2>
      ${await socialButtons(paywall)}
      ${form(visit, { action: address(paywall, 'sign-in'), target: stageId, content, name: 'sign-in' })}
      <p class="centred small">${stepLink(paywall, { step: 'forgotten' }, t('paywall.forgotten'))}</p>
    </section>
    <p class="centred">
      ${t('paywall.noAccount')} ${stepLink(paywall, withGift({ step: 'register' }, state), t('paywall.register'))}
    </p>`;
  return stage(paywall, body, complaint ? { status: 422 } : {});
}

/** Answers alike for every address: who is registered is nobody's business. */
export function forgottenStage(paywall: Paywall, state: AccountState & { isSent?: boolean } = {}): Shown {
  const { texts, visit } = paywall;
  const { t } = texts;
  const { values = {}, complaint, isSent = false } = state;
  const content = html`${complaints(texts, complaint, { email: t('common.email') })}
  ${field(texts, { name: 'email', label: t('common.email'), type: 'email', value: values['email'], autocomplete: 'username', isRequired: true, complaint })}
  ${submit(t('paywall.mailLink'), { isFull: true })}`;
  const asking = html`<p class="quiet">${t('paywall.forgottenHint')}</p>
    ${form(visit, { action: address(paywall, 'forgotten'), target: stageId, content, name: 'forgotten' })}`;
  const done = html`<p class="alert good" role="status">${t('paywall.forgottenSent')}</p>`;
  const body = html`<section class="card stack">
      <h2 tabindex="-1" ${complaint ? '' : html`data-focus`}>${t('paywall.forgotten')}</h2>
      ${isSent ? done : asking}
    </section>
    <p class="centred">${stepLink(paywall, { step: 'sign-in' }, t('common.back'))}</p>`;
  return stage(paywall, body, complaint ? { status: 422 } : {});
}

type Authentication = { access_token: string; expires: number };

/** The new session, or the form with what is wrong. */
export async function register(paywall: Paywall, fields: Fields): Promise<Authentication | Shown> {
  const { visit, texts, place } = paywall;
  const body = {
    ...fields,
    // The form asks once; a wrong password is mended by mail.
    password_confirmation: fields['password'],
    type: 'consumer',
    client_id: place.merchant_uuid,
  };
  const tried = await attempt(texts, () => visit.call(accountEndpoints.createAccount, { body }));
  if ('done' in tried) return tried.done;
  // What the form does not ask for is no complaint of its reader.
  const told = Object.entries(tried.refused.fields).filter(([name]) => name !== 'password_confirmation');
  const complaint = { ...tried.refused, fields: Object.fromEntries(told) };
  return registerStage(paywall, { values: flatten(fields), complaint, gift: fields['gift'] });
}

export async function signIn(paywall: Paywall, fields: Fields): Promise<Authentication | Shown> {
  const { visit, texts, place } = paywall;
  const body = {
    username: fields['username'],
    password: fields['password'],
    grant_type: 'password',
    client_id: place.merchant_uuid,
  };
  const tried = await attempt(texts, () => visit.call(accountEndpoints.authenticateV2, { body }));
  if ('done' in tried) return tried.done;
  return signInStage(paywall, { values: fields, complaint: tried.refused, gift: fields['gift'] });
}

export async function askForPassword(paywall: Paywall, email: string | undefined): Promise<Shown> {
  const { visit, texts, place } = paywall;
  const body = { merchant_uuid: place.merchant_uuid, email };
  const tried = await attempt(texts, () => visit.call(passwordResetEndpoints.forgotPassword, { body }));
  if ('done' in tried) return forgottenStage(paywall, { isSent: true });
  return forgottenStage(paywall, { values: { email }, complaint: tried.refused });
}

const keptChoice = ({ gift }: AccountState) =>
  gift === 'true' ? html`<input type="hidden" name="gift" value="true" />` : '';

const withGift = (query: Record<string, string>, { gift }: AccountState) =>
  gift === 'true' ? { ...query, gift } : query;

/** Values of nested fields by the names that the form gives them. */
function flatten(fields: Record<string, unknown>): Fields {
  const metadata = (fields['metadata'] ?? {}) as Record<string, string>;
  const nested = Object.entries(metadata).map(([name, value]) => [metadataName(name), value]);
  return { ...(fields as Fields), ...(Object.fromEntries(nested) as Fields) };
}

type AnswerOf<E> = E extends Answering<infer Body> & Endpoint ? Body : never;
type RegisterField = AnswerOf<typeof registerFieldEndpoints.listRegisterFields>['collection'][number];

/** As the merchant chose to ask: the value is sent as `metadata[name]`. */
function registerField(
  { texts }: Paywall,
  asked: RegisterField,
  values: Fields,
  complaint: Complaint | undefined,
): Html {
  const { name, label, required, default_value, placeholder, options, type } = asked;
  const known = metadataName(name);
  const untyped: Omit<FieldOptions, 'type'> = {
    name: `metadata[${name}]`,
    label,
    value: values[known] ?? default_value,
    isRequired: required,
    complaint,
    alsoNamed: [known, name],
    ...(placeholder !== '' && { placeholder }),
  };
  const choices = Object.entries(options);
  if (type === 'textarea') return textarea(texts, untyped);
  if (type === 'checkbox') return checkbox({ ...untyped, isChecked: values[known] === 'true', value: 'true' });
  if (type === 'radio')
    return radios({
      ...untyped,
      choices: choices.map(([value, text]) => ({ value, content: html`<span>${text}</span>` })),
    });
  if (type === 'country')
    return select(texts, { ...untyped, autocomplete: 'country', choices: [['', ''], ...countries(texts.language)] });
  if (type === 'select' || (type === 'us_state' && choices.length > 0))
    return select(texts, { ...untyped, choices: [['', ''], ...choices] });
  return field(texts, { ...untyped, type: type === 'datepicker' ? 'date' : 'text' });
}

/** Every country by its name in the page's language. */
function countries(language: string): (readonly [string, string])[] {
  const names = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' });
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const codes = letters.flatMap((first) => letters.map((second) => first + second));
  const known = codes.flatMap((code) => {
    const name = names.of(code);
    return name === undefined || notCountries.has(code) ? [] : [[code, name] as const];
  });
  return known.sort(([, one], [, other]) => one.localeCompare(other, language));
}

/** Codes that have a name and are no country's: groups, former countries, placeholders. */
const notCountries = new Set([
  'EU',
  'EZ',
  'UN',
  'QO',
  'ZZ',
  'XA',
  'XB',
  'AC',
  'CP',
  'DG',
  'EA',
  'IC',
  'TA',
  'AN',
  'CS',
  'DD',
  'FX',
  'SU',
  'YU',
  'ZR',
  'TP',
  'BU',
  'NT',
  'YD',
  'CQ',
  'HV',
  'DY',
  'NH',
  'RH',
  'VD',
  'UK',
]);

/** Takes over what a sign-in elsewhere ends with. */
export function tokenForm(paywall: Paywall): Html {
  return html`<form hidden method="post" action="${address(paywall, 'session')}" data-token>
    <input type="hidden" name="_token" value="${paywall.visit.pageToken}" />
    <input type="hidden" name="token" />
    <input type="hidden" name="expires" />
  </form>`;
}

/** Where the merchant's app lets this page be come back to; elsewhere there are none. */
async function socialButtons(paywall: Paywall): Promise<Html> {
  const { visit, texts, place } = paywall;
  const redirect = `${visit.origin}${address(paywall)}`;
  const state = Buffer.from(JSON.stringify({ client_id: place.merchant_uuid, redirect })).toString('base64url');
  const tried = await attempt(texts, () => visit.call(socialEndpoints.listSocialLinks, { query: { state } }));
  const links = 'done' in tried ? tried.done.social_urls.flatMap((link) => Object.entries(link)) : [];
  if (links.length === 0) return html``;
  const buttons = links.map(
    ([provider, url]) =>
      html`<a class="button full" href="${url}" ${visit.isEmbedded ? html`target="_blank"` : ''}>
        ${texts.t('paywall.continueWith', { provider: provider.charAt(0).toUpperCase() + provider.slice(1) })}
      </a>`,
  );
  return html`<div class="tight">${buttons}</div>
    <p class="divider">${texts.t('paywall.or')}</p>`;
}
