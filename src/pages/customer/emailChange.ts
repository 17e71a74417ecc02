import { emailChangeEndpoints } from '../../accounts/emailChanges/emailChanges.endpoints';
import { html, type Html } from '../../kit/html';
import { type Visit } from '../../kit/pages/page';
import { type AnswerOf } from '../layout/answers';
import { type Complaint } from '../layout/explain';
import { complaints, confirmButton, field, form, submit } from '../layout/forms';
import { type Texts } from '../layout/texts';

/** The address of an account, in the portal and in the console, with the form for a new one. */

const { requestEmailChange, cancelEmailChange } = emailChangeEndpoints;

interface Section {
  change: AnswerOf<typeof emailChangeEndpoints.getEmailChange>;
  /** The address of the form. */
  action: string;
  /** The id of the element that the answer replaces. */
  target?: string;
  /** The refused form, with the address that the visitor entered. */
  refused?: RefusedEmail | undefined;
}

export interface RefusedEmail {
  complaint: Complaint;
  email: string;
}

export function emailSection(visit: Visit, texts: Texts, { change, action, target, refused }: Section): Html {
  const { t } = texts;
  const complaint = refused?.complaint;
  const labels = { new_email: t('portal.email.new'), email_password: t('common.password') };
  // The sign-in was long ago, and the account has no other factor.
  const password =
    complaint?.fields['email_password'] !== undefined &&
    field(texts, {
      name: 'email_password',
      type: 'password',
      label: labels.email_password,
      autocomplete: 'current-password',
      isRequired: true,
      complaint,
    });
  const content = html`${complaints(texts, complaint, labels)}
  ${field(texts, {
    name: 'new_email',
    type: 'email',
    label: labels.new_email,
    value: refused?.email,
    autocomplete: 'email',
    isRequired: true,
    hint: t('portal.email.hint'),
    complaint,
  })}
  ${password} ${submit(t('portal.email.send'))}`;
  return html`<section class="card stack slender" id="email">
    <h2>${t('portal.email.title')}</h2>
    <p><bdi>${change.email}</bdi></p>
    ${change.pending !== null && pendingNotice(visit, texts, { pending: change.pending, action })}
    ${form(visit, { action, ...(target !== undefined && { target }), content, name: 'email' })}
  </section>`;
}

interface Pending {
  action: string;
  pending: NonNullable<Section['change']['pending']>;
}

function pendingNotice(visit: Visit, texts: Texts, { pending, action }: Pending): Html {
  const { t } = texts;
  const { email, expires_at } = pending;
  return html`<div class="alert stack">
    <p>${t('portal.email.pending', { email, time: texts.dateTime(expires_at) })}</p>
    <div>
      ${confirmButton(visit, {
        ...{ label: t('portal.email.cancel'), question: t('portal.email.cancelQuestion') },
        ...{ action: `${action}/cancel`, name: 'cancel-email' },
      })}
    </div>
  </div>`;
}

type Form = Readonly<Record<string, string | undefined>>;

/** The calls of the forms. */
export const emailForms = {
  request: ({ call }: Visit, { new_email: email, email_password: password }: Form) =>
    call(requestEmailChange, { body: { email, ...(password !== undefined && password !== '' && { password }) } }),
  cancel: ({ call }: Visit) => call(cancelEmailChange),
};

/** The errors under the names of the form's fields. A page with two forms has each name once. */
export function refusedEmail(
  complaint: Complaint,
  { new_email: email }: Readonly<Record<string, unknown>>,
): RefusedEmail {
  const { email: ofEmail, password } = complaint.fields;
  const fields = {
    ...(ofEmail !== undefined && { new_email: ofEmail }),
    ...(password !== undefined && { email_password: password }),
  };
  return { complaint: { ...complaint, fields }, email: typeof email === 'string' ? email : '' };
}
