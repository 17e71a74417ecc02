import { passkeyEndpoints } from '../../accounts/passkeys/passkeys.endpoints';
import { html, type Html } from '../../kit/html';
import { readJson } from '../../kit/json';
import { type Visit } from '../../kit/pages/page';
import { type AnswerOf, type RowOf } from '../layout/answers';
import { attempt, type Complaint } from '../layout/explain';
import { complaints, confirmButton, field, form, submit } from '../layout/forms';
import { type Texts } from '../layout/texts';
import { passkeyForm } from './passkeyForm';

/** The passkeys of an account, in the portal and in the console, and the sign-in with one. */

type Passkey = RowOf<typeof passkeyEndpoints.listPasskeys>;
type Options = AnswerOf<typeof passkeyEndpoints.startPasskey>;
const { startPasskey, createPasskey, renamePasskey, deletePasskey } = passkeyEndpoints;

interface Section {
  passkeys: readonly Passkey[];
  /** The common start of the addresses of the forms. */
  address: string;
  /** The refused form for a new passkey, or for the removal of one. */
  complaint?: Complaint | undefined;
}

export function passkeySection(visit: Visit, texts: Texts, { passkeys, address, complaint }: Section): Html {
  const { t } = texts;
  // The sign-in was long ago, and the account has no other factor.
  const needsPassword = complaint?.fields['password'] !== undefined;
  const password = needsPassword ? passwordField(texts, complaint) : html``;
  const entries = passkeys.map((row) => passkeyEntry(visit, texts, { row, address, password }));
  const content = html`${complaints(texts, complaint, { password: t('common.password') })}
  ${field(texts, { name: 'name', label: t('passkeys.name'), value: t('passkeys.firstName'), maxlength: 100, isRequired: true })}
  ${password} ${submit(t('passkeys.add'))}`;
  return html`<section class="card stack" id="passkeys">
    <h2>${t('passkeys.title')}</h2>
    <p>${t('passkeys.hint')}</p>
    ${
      entries.length > 0 &&
      html`<ul class="entries">
        ${entries}
      </ul>`
    }
    ${form(visit, { action: address, content, name: 'start-passkey' })}
  </section>`;
}

const passwordField = (texts: Texts, complaint: Complaint | undefined): Html =>
  field(texts, {
    name: 'password',
    type: 'password',
    label: texts.t('common.password'),
    autocomplete: 'current-password',
    isRequired: true,
    complaint,
  });

interface Entry {
  row: Passkey;
  address: string;
  password: Html;
}

function passkeyEntry(visit: Visit, texts: Texts, { row, address, password }: Entry): Html {
  const { t } = texts;
  const { id, name, created_at, last_used_at } = row;
  const rename = html`${field(texts, { name: `name-${id}`, label: t('passkeys.name'), value: name, maxlength: 100, isRequired: true })}`;
  return html`<li>
    <div class="tight">
      <p class="strong"><bdi>${name}</bdi></p>
      <p class="quiet small">
        ${t('sessions.since', { time: texts.dateTime(created_at) })}
        ${last_used_at !== null && html`· ${t('sessions.lastUsed', { time: texts.dateTime(last_used_at) })}`}
      </p>
    </div>
    <div class="row">
      ${confirmButton(visit, {
        ...{ label: t('passkeys.rename'), question: t('passkeys.renameQuestion'), isDangerous: false },
        ...{ action: `${address}/${id}`, name: `rename-${id}`, fields: rename },
      })}
      ${confirmButton(visit, {
        ...{ label: t('passkeys.remove'), question: t('passkeys.removeQuestion') },
        ...{ action: `${address}/${id}/remove`, name: `remove-${id}`, fields: password },
      })}
    </div>
  </li>`;
}

/** The second step of a new passkey, in which the browser asks for a fingerprint, a face or a PIN. */
export function newPasskeyCard(
  visit: Visit,
  texts: Texts,
  { address, name, options }: { address: string; name: string; options: Options },
): Html {
  const { t } = texts;
  const content = html`<input type="hidden" name="name" value="${name}" />`;
  const made = { action: `${address}/new`, field: 'credential', with: { create: options }, content };
  return html`<section class="card stack">
    <p>${t('passkeys.createHint')}</p>
    <noscript><p class="alert bad">${t('passkeys.needsScript')}</p></noscript>
    ${passkeyForm(visit, texts, { ...made, label: t('passkeys.create') })}
  </section>`;
}

type Form = Readonly<Record<string, string | undefined>>;

/** The calls of the forms. */
export const passkeyForms = {
  start: ({ call }: Visit, { password }: Form) =>
    call(startPasskey, { body: { ...(password !== undefined && password !== '' && { password }) } }),
  create: ({ call }: Visit, { name, credential = '' }: Form) =>
    call(createPasskey, { body: { name, credential: readJson(credential) } }),
  rename: ({ call }: Visit, passkey_id: string, form: Form) =>
    call(renamePasskey, { params: { passkey_id }, body: { name: form[`name-${passkey_id}`] } }),
  remove: ({ call }: Visit, passkey_id: string, { password }: Form) =>
    call(deletePasskey, { params: { passkey_id }, body: { ...(password !== undefined && { password }) } }),
};

interface SignIn {
  action: string;
  target?: string;
  clientId: string;
  /** Hidden fields of the form. */
  kept?: Html | undefined;
}

/** The button for a sign-in with a passkey. A frame of another page may not use passkeys, so it has none. */
export function passkeySignIn(visit: Visit, texts: Texts, { clientId, kept, ...at }: SignIn): Html {
  if (visit.isEmbedded) return html``;
  const label = texts.t('passkeys.use');
  return passkeyForm(visit, texts, { ...at, field: 'passkey', with: { signIn: clientId }, content: kept, label });
}

/** Signs in with the passkey that the form contains. */
export function enterByPasskey(visit: Visit, texts: Texts, clientId: string, passkey: string) {
  const body = { client_id: clientId, credential: readJson(passkey) };
  return attempt(texts, () => visit.call(passkeyEndpoints.signInByPasskey, { body }));
}
