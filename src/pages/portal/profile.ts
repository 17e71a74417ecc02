import { z } from 'zod';
import { detailEndpoints } from '../../accounts/details.endpoints';
import { accountEndpoints } from '../../accounts/accounts.endpoints';
import { emailChangeEndpoints } from '../../accounts/emailChanges/emailChanges.endpoints';
import { passwordEndpoints } from '../../accounts/signIn/passwords.endpoints';
import { html, type Html } from '../../kit/html';
import { page, Redirect, type PageResponse } from '../../kit/pages/page';
import { asksPassword } from '../customer/confirmation';
import { type Fields, flatten, metadataName, registerFieldInput } from '../customer/registerFields';
import { type RegistrationOptions, readOptions } from '../customer/registration';
import { emailSection, type RefusedEmail } from '../customer/emailChange';
import { type AnswerOf } from '../layout/answers';
import { attempt, type Complaint } from '../layout/explain';
import { complaints, field, form, submit } from '../layout/forms';
import { facts } from '../layout/lists';
import { addressIn, good, inPortal, openPortal, pageId, type Portal, portalPath, showInPortal, text } from './frame';

const atProfile = { ...inPortal, path: `${portalPath}/profile` } as const;

export const profilePages = {
  showProfile: page({
    ...atProfile,
    method: 'get',
    summary: 'The profile of a customer',
    query: z.object({ done: text, lang: text }),
    handler: async (visit) => profilePage(await openPortal(visit), { done: visit.query.done }),
  }),
  saveProfile: page({
    ...atProfile,
    method: 'post',
    summary: 'Changes the details of a customer',
    form: z.object({ full_name: text, date_of_birth: text, metadata: z.record(z.string(), z.string()).optional() }),
    handler: async (visit) => {
      const portal = await openPortal(visit);
      const outcome = await attempt(portal.texts, () => saveDetails(portal, visit.form));
      if ('done' in outcome) return new Redirect(addressIn(portal, 'profile', { done: 'profileSaved' }));
      return profilePage(portal, { details: { complaint: outcome.refused, values: flatten(visit.form) } });
    },
  }),
  changePasswordInPortal: page({
    ...atProfile,
    method: 'post',
    path: `${portalPath}/profile/password`,
    summary: 'Changes the password',
    form: z.object({ old_password: text, password: text }),
    handler: async (visit) => {
      const portal = await openPortal(visit);
      // The form has no confirmation field, because a mistyped password can be reset by mail.
      const body = { ...visit.form, password_confirmation: visit.form.password };
      const outcome = await attempt(portal.texts, () => visit.call(passwordEndpoints.changePassword, { body }));
      if ('done' in outcome) return new Redirect(addressIn(portal, 'profile', { done: 'passwordChanged' }));
      return profilePage(portal, { password: forForm(outcome.refused, outcome.error.code) });
    },
  }),
};

/**
 * The errors for the fields of the form: `old_password` for a wrong old password, and none for the confirmation, which
 * the form does not have.
 */
function forForm(refused: Complaint, code: string): Complaint {
  if (code === 'wrong_old_password') return { ...refused, fields: { old_password: refused.message } };
  const shown = Object.entries(refused.fields).filter(([name]) => name !== 'password_confirmation');
  return { ...refused, fields: Object.fromEntries(shown) };
}

type Account = AnswerOf<typeof accountEndpoints.getAccount>;

interface ProfileState {
  done?: string | undefined;
  details?: { complaint: Complaint; values: Fields };
  password?: Complaint;
  email?: RefusedEmail;
}

/** The endpoint replaces all metadata, so values that the form does not show are sent back unchanged. */
async function saveDetails(
  portal: Portal,
  sent: {
    full_name?: string | undefined;
    date_of_birth?: string | undefined;
    metadata?: Record<string, string> | undefined;
  },
): Promise<void> {
  const { visit } = portal;
  const [{ metadata: before }, { registerFields }] = await Promise.all([
    visit.call(accountEndpoints.getAccount),
    readOptions(portal),
  ]);
  const shown = new Set(registerFields.map(({ name }) => name));
  const kept = Object.entries(before).filter(([name]) => !shown.has(name));
  const given = Object.entries(sent.metadata ?? {}).filter(([name, value]) => shown.has(name) && value !== '');
  const metadata = Object.fromEntries([...kept, ...given]);
  await visit.call(detailEndpoints.updateAccount, { body: { ...sent, metadata } });
}

export async function profilePage(portal: Portal, state: ProfileState): Promise<PageResponse> {
  const { visit, texts } = portal;
  const { t } = texts;
  const [hasPassword, account, asked, change] = await Promise.all([
    asksPassword(visit),
    visit.call(accountEndpoints.getAccount),
    readOptions(portal),
    visit.call(emailChangeEndpoints.getEmailChange),
  ]);
  const done = (['profileSaved', 'passwordChanged', 'emailSent', 'emailKept'] as const).find(
    (known) => known === state.done,
  );
  const position = {
    section: 'profile',
    title: t('portal.sections.profile'),
    notice: done && good(t(`portal.done.${done}`)),
  } as const;
  const content = html`<section class="card stack slender">
      <h2>${t('portal.profile.details')}</h2>
      ${detailsForm(portal, account, asked, state)}
    </section>
    ${emailSection(visit, texts, { change, action: addressIn(portal, 'profile/email'), target: pageId, refused: state.email })}
    <section class="card stack slender">
      <h2>${t('portal.profile.password')}</h2>
      ${hasPassword && passwordForm(portal, state.password)}
      <p class="small quiet">
        ${hasPassword && t('portal.profile.noPassword')}
        <a href="${addressIn(portal, 'forgotten')}">${t('portal.profile.mailPassword')}</a>
      </p>
    </section>`;
  return showInPortal(
    portal,
    position,
    content,
    (state.details ?? state.password ?? state.email) ? { status: 422 } : {},
  );
}

function detailsForm(portal: Portal, account: Account, asked: RegistrationOptions, { details }: ProfileState): Html {
  const { texts, visit } = portal;
  const { t, calendarDay } = texts;
  const { complaint } = details ?? {};
  const stored = { full_name: account.full_name, ...flatten({ metadata: account.metadata }) };
  const values: Fields = details?.values ?? stored;
  const isKnown = account.date_of_birth !== 0;
  const own = asked.registerFields.map((one) => registerFieldInput(texts, one, values, complaint));
  const labels = {
    full_name: t('common.fullName'),
    date_of_birth: t('paywall.dateOfBirth'),
    ...Object.fromEntries(asked.registerFields.map(({ name, label }) => [metadataName(name), label])),
  };
  const birth = field(texts, {
    name: 'date_of_birth',
    type: 'date',
    label: t('paywall.dateOfBirth'),
    value: values['date_of_birth'],
    autocomplete: 'bday',
    isRequired: true,
    complaint,
  });
  const content = html`${complaints(texts, complaint, labels)}
  ${isKnown && facts([[t('paywall.dateOfBirth'), calendarDay(new Date(account.date_of_birth * 1000).toISOString())]])}
  ${field(texts, { name: 'full_name', label: t('common.fullName'), value: values['full_name'], autocomplete: 'name', isRequired: true, complaint })}
  ${asked.asksAge && !isKnown && birth} ${own} ${submit(t('common.save'))}`;
  return form(visit, { action: addressIn(portal, 'profile'), target: pageId, content, name: 'profile' });
}

function passwordForm(portal: Portal, complaint: Complaint | undefined): Html {
  const { texts, visit } = portal;
  const { t } = texts;
  const labels = { old_password: t('portal.profile.oldPassword'), password: t('portal.profile.newPassword') };
  const common = { type: 'password', isRequired: true, complaint } as const;
  const content = html`${complaints(texts, complaint, labels)}
  ${field(texts, { ...common, name: 'old_password', label: labels.old_password, autocomplete: 'current-password' })}
  ${field(texts, { ...common, name: 'password', label: labels.password, autocomplete: 'new-password', hint: t('paywall.passwordHint') })}
  ${submit(t('portal.profile.changePassword'))}`;
  return form(visit, { action: addressIn(portal, 'profile/password'), target: pageId, content, name: 'password' });
}
