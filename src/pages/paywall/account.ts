import { accountEndpoints } from '../../accounts/endpoints';
import { registerFieldEndpoints } from '../../accounts/registerFields/endpoints';
import { html } from '../../kit/html';
import { type Shown } from '../../kit/pages/page';
import { restrictionSettingsEndpoints } from '../../restrictions/settings/endpoints';
import {
  type Authentication,
  authenticate,
  forgottenCard,
  mailNewPassword,
  signInCard,
  socialButtons,
} from '../customer/entry';
import { type Fields, flatten, metadataName, registerFieldInput } from '../customer/registerFields';
import { attempt, type Complaint } from '../layout/explain';
import { complaints, field, form, submit } from '../layout/forms';
import { type Texts } from '../layout/texts';
import { address, type Paywall, stage, stageId, stepLink } from './parts';

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
  const own = asked.collection.map((one) => registerFieldInput(texts, one, values, complaint));
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
      ${await socialButtons(paywall, address(paywall))}
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

export async function signInStage(paywall: Paywall, state: AccountState = {}): Promise<Shown> {
  const { t } = paywall.texts;
  const { values, complaint } = state;
  const card = await signInCard(paywall, {
    action: address(paywall, 'sign-in'),
    target: stageId,
    comeBackTo: address(paywall),
    forgotten: stepLink(paywall, { step: 'forgotten' }, t('paywall.forgotten')),
    kept: keptChoice(state),
    values,
    complaint,
  });
  const body = html`${card}
    <p class="centred">
      ${t('paywall.noAccount')} ${stepLink(paywall, withGift({ step: 'register' }, state), t('paywall.register'))}
    </p>`;
  return stage(paywall, body, complaint ? { status: 422 } : {});
}

export function forgottenStage(paywall: Paywall, state: AccountState & { isSent?: boolean } = {}): Shown {
  const entry = { ...state, action: address(paywall, 'forgotten'), target: stageId };
  const body = html`${forgottenCard(paywall, entry)}
    <p class="centred">${stepLink(paywall, { step: 'sign-in' }, paywall.texts.t('common.back'))}</p>`;
  return stage(paywall, body, state.complaint ? { status: 422 } : {});
}

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
  const tried = await authenticate(paywall, fields);
  if ('done' in tried) return tried.done;
  return signInStage(paywall, { values: fields, complaint: tried.refused, gift: fields['gift'] });
}

export async function askForPassword(paywall: Paywall, email: string | undefined): Promise<Shown> {
  const tried = await mailNewPassword(paywall, email);
  if ('done' in tried) return forgottenStage(paywall, { isSent: true });
  return forgottenStage(paywall, { values: { email }, complaint: tried.refused });
}

const keptChoice = ({ gift }: AccountState) =>
  gift === 'true' ? html`<input type="hidden" name="gift" value="true" />` : '';

const withGift = (query: Record<string, string>, { gift }: AccountState) =>
  gift === 'true' ? { ...query, gift } : query;
