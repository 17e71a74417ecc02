import { z } from 'zod';
import { passkeyEndpoints } from '../../accounts/passkeys/passkeys.endpoints';
import { emailChangeEndpoints } from '../../accounts/emailChanges/emailChanges.endpoints';
import { secondFactorEndpoints } from '../../accounts/secondFactors/secondFactors.endpoints';
import { signedIn } from '../../kit/auth';
import { html } from '../../kit/html';
import { page, type PageResponse, Redirect } from '../../kit/pages/page';
import { asksPassword, confirmedPath } from '../customer/confirmation';
import { codesCard, factorSection, type NewFactor, type RefusedForm, setUpCard } from '../customer/secondFactor';
import { emailForms, emailSection, refusedEmail, type RefusedEmail } from '../customer/emailChange';
import { newPasskeyCard, passkeyForms, passkeySection } from '../customer/passkeys';
import { type Complaint } from '../layout/explain';
import { textsFor } from '../layout/texts';
import { formPage, type PageState, showPage } from './crudPages';
import { inConsole, isInConsole, type MerchantVisit, refusedIf, showInConsole } from './frame';

/** The visitor's second factor, with a link to the visitor's devices. */

const own = '/console/security';
const factor = `${own}/second-factor`;
const { listSecondFactors, startSecondFactor, confirmSecondFactor, deleteSecondFactor } = secondFactorEndpoints;
const { createRecoveryCodes } = secondFactorEndpoints;

export const securityPages = {
  showConsoleSecurity: showPage({
    auth: signedIn(),
    path: own,
    summary: 'The second factor',
    show: (visit, { done }) => securityPage(visit, { done }),
  }),
  leadBackInConsole: page({
    ...inConsole,
    auth: signedIn(),
    method: 'post',
    path: '/console/confirm',
    summary: 'Leads back to the page that required a confirmation',
    form: z.object({ next: z.string().optional() }),
    handler: ({ form: { next } }) => Promise.resolve(new Redirect(isInConsole(next) ? next : '/console')),
  }),
  showConfirmed: showPage({
    auth: signedIn(),
    path: confirmedPath,
    summary: 'The end of a sign-in in another tab, which confirms the session',
    show: (visit) => {
      const { t } = textsFor(visit);
      const place = { section: 'security', title: t('console.company.confirmedTitle') } as const;
      return showInConsole(visit, place, html`<p class="card">${t('console.company.confirmedHint')}</p>`);
    },
  }),
  startFactorInConsole: formPage({
    auth: signedIn(),
    path: factor,
    summary: 'Shows the picture for the authenticator app',
    work: ({ callOnce, form }) => callOnce(startSecondFactor, { body: { password: form['password'] } }),
    again: refusing('start'),
    next: (started, visit) => setUpPage(visit, started.id, { started }),
  }),
  confirmFactorInConsole: formPage({
    auth: signedIn(),
    path: `${factor}/{factor_id}/confirm`,
    summary: 'Switches the second factor on, and shows the recovery codes',
    work: ({ callOnce, params, form }) => callOnce(confirmSecondFactor, { params, body: { code: form['code'] } }),
    again: (visit, { complaint }) => setUpPage(visit, visit.params.factor_id, { complaint }),
    next: ({ recovery_codes: codes }, visit) => codesPage(visit, codes),
  }),
  renewCodesInConsole: formPage({
    auth: signedIn(),
    path: `${factor}/recovery-codes`,
    summary: 'Replaces the recovery codes, and shows them',
    work: ({ callOnce, form }) => callOnce(createRecoveryCodes, { body: { code: form['newCodes_code'] } }),
    again: refusing('newCodes'),
    next: ({ recovery_codes: codes }, visit) => codesPage(visit, codes),
  }),
  switchFactorOffInConsole: formPage({
    auth: signedIn(),
    path: `${factor}/{factor_id}/off`,
    summary: 'Switches the second factor off',
    work: ({ callOnce, params, form }) =>
      callOnce(deleteSecondFactor, { params, body: { code: form['switchOff_code'] } }),
    again: refusing('switchOff'),
    next: `${own}?done=changed`,
  }),
};

/** The forms of passkeys, in a list of their own, because they are on the same page as the second factor. */
const keys = `${own}/passkeys`;
const ofKeys = { auth: signedIn() } as const;
const againWithKeys = (visit: MerchantVisit, { complaint }: PageState) =>
  securityPage(visit, { keyComplaint: complaint });

export const passkeyPages = {
  startPasskeyInConsole: formPage({
    ...ofKeys,
    path: keys,
    summary: 'Shows the button that creates a passkey',
    work: (visit) => passkeyForms.start(visit, visit.form),
    again: againWithKeys,
    next: (options, visit) => {
      const texts = textsFor(visit);
      const back = { address: own, text: texts.t('console.security.title') };
      const place = { section: 'security', title: texts.t('passkeys.createTitle'), back } as const;
      const made = { address: keys, name: visit.form['name'] ?? '', options };
      return showInConsole(visit, place, newPasskeyCard(visit, texts, made));
    },
  }),
  createPasskeyInConsole: formPage({
    ...ofKeys,
    path: `${keys}/new`,
    summary: 'Stores a passkey',
    work: (visit) => passkeyForms.create(visit, visit.form),
    again: againWithKeys,
    next: `${own}?done=created`,
  }),
  renamePasskeyInConsole: formPage({
    ...ofKeys,
    path: `${keys}/{passkey_id}`,
    summary: 'Renames a passkey',
    work: (visit) => passkeyForms.rename(visit, visit.params.passkey_id, visit.form),
    again: againWithKeys,
    next: `${own}?done=saved`,
  }),
  removePasskeyInConsole: formPage({
    ...ofKeys,
    path: `${keys}/{passkey_id}/remove`,
    summary: 'Removes a passkey',
    work: (visit) => passkeyForms.remove(visit, visit.params.passkey_id, visit.form),
    again: againWithKeys,
    next: `${own}?done=deleted`,
  }),
};

/** The address with which the visitor signs in. */
const address = `${own}/email`;

export const emailPages = {
  requestEmailInConsole: formPage({
    auth: signedIn(),
    path: address,
    summary: 'Mails a link to a new address',
    work: (visit) => emailForms.request(visit, visit.form),
    again: (visit, { complaint, values = {} }) =>
      securityPage(visit, complaint && { refusedEmail: refusedEmail(complaint, values) }),
    next: `${own}?done=sent`,
  }),
  cancelEmailInConsole: formPage({
    auth: signedIn(),
    path: `${address}/cancel`,
    summary: 'Cancels the change of the address',
    work: (visit) => emailForms.cancel(visit),
    again: (visit) => securityPage(visit),
    next: `${own}?done=changed`,
  }),
};

function refusing(form: RefusedForm['form']) {
  return (visit: MerchantVisit, { complaint }: PageState) =>
    securityPage(visit, complaint && { refused: { form, complaint } });
}

interface SecurityState {
  refused?: RefusedForm;
  /** The refused form of a passkey. */
  keyComplaint?: Complaint | undefined;
  refusedEmail?: RefusedEmail | undefined;
  done?: string | undefined;
}

async function securityPage(
  visit: MerchantVisit,
  { refused, keyComplaint, refusedEmail: mistaken, done }: SecurityState = {},
): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { t } = texts;
  const factors = await visit.call(listSecondFactors);
  const { collection: passkeys } = await visit.call(passkeyEndpoints.listPasskeys);
  const change = await visit.call(emailChangeEndpoints.getEmailChange);
  const needed = visit.caller?.lacksFactor && html`<p class="alert warn">${t('console.security.needed')}</p>`;
  const content = html`${needed}
    ${factorSection(visit, texts, { factors, asksPassword: await asksPassword(visit), address: factor, refused })}
    ${passkeySection(visit, texts, { passkeys, address: keys, complaint: keyComplaint })}
    ${emailSection(visit, texts, { change, action: address, refused: mistaken })}
    <section class="card stack">
      <h2>${t('sessions.title')}</h2>
      <p>${t('console.security.devicesHint')}</p>
      <p><a class="button" href="/console/sessions">${t('console.security.devices')}</a></p>
    </section>`;
  const place = { section: 'security', title: t('console.security.title'), done } as const;
  return showInConsole(visit, place, content, refusedIf(refused?.complaint ?? keyComplaint ?? mistaken?.complaint));
}

function setUpPage(
  visit: MerchantVisit,
  factorId: string,
  { started, complaint }: { started?: NewFactor; complaint?: Complaint | undefined },
): PageResponse {
  const texts = textsFor(visit);
  const { t } = texts;
  const content = setUpCard(visit, texts, { action: `${factor}/${factorId}/confirm`, started, complaint });
  const back = { address: own, text: t('console.security.title') };
  const place = { section: 'security', title: t('secondFactor.setUpTitle'), back } as const;
  return showInConsole(visit, place, content, refusedIf(complaint));
}

function codesPage(visit: MerchantVisit, codes: readonly string[]): PageResponse {
  const texts = textsFor(visit);
  const place = { section: 'security', title: texts.t('secondFactor.codesTitle') } as const;
  return showInConsole(visit, place, codesCard(texts, codes, `${own}?done=saved`));
}
