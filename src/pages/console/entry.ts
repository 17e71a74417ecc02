import { z } from 'zod';
import { accountEndpoints } from '../../accounts/accounts.endpoints';
import { waitingChallenge } from '../../accounts/company/cookies';
import { anyone } from '../../kit/auth';
import { html } from '../../kit/html';
import { page, Redirect, type PageResponse, type Visit } from '../../kit/pages/page';
import { endOwnSession } from '../../accounts/tokens/tokens';
import { merchantSignupIsOpen, platformClientId } from '../../platform';
import { endedNotice } from '../customer/endedSession';
import { enterByPasskey, passkeySignIn } from '../customer/passkeys';
import { codeCard, type SecondStep, secondStepOf } from '../customer/secondFactor';
import { attempt, type Complaint } from '../layout/explain';
import { complaints, field, form, submit } from '../layout/forms';
import { textsFor } from '../layout/texts';
import { AnyForm, asText } from './fields';
import { companyRefusal, companyWay } from './companyEntry';
import { forgottenPassword } from './forgotten';
import { inConsole, isInConsole, showEntry } from './frame';

const text = z.string().optional();
const EntryQuery = z.object({ next: text, company: text, refused: text, ended: text });
const SignInForm = z.object({
  ...{ email: text, password: text, next: text },
  ...{ second_factor_challenge: text, second_factor_code: text, passkey: text },
});
const open = { area: 'console', auth: anyone() } as const;

/** Sign-in, registration and sign-out of merchants. */
export const entryPages = {
  showConsoleSignIn: page({
    ...open,
    method: 'get',
    path: '/console/sign-in',
    summary: 'Sign in as a merchant',
    query: EntryQuery,
    handler: async (visit) => {
      const { next = '', ...query } = visit.query;
      const isDone = visit.caller && query.refused === undefined;
      return isDone ? new Redirect('/console') : signInPage(visit, next, query);
    },
  }),
  showConsoleCode: page({
    ...open,
    method: 'get',
    path: '/console/sign-in/code',
    summary: 'The second step after a sign-in with the company’s provider',
    query: z.object({ next: text }),
    handler: (visit) => {
      const challenge = waitingChallenge(visit.request);
      const { next = '' } = visit.query;
      return Promise.resolve(challenge ? codePage(visit, next, { challenge }) : new Redirect('/console/sign-in'));
    },
  }),
  signInToConsole: page({
    ...open,
    method: 'post',
    path: '/console/sign-in',
    summary: 'Signs a merchant in',
    form: SignInForm,
    handler: async (visit) => {
      const { email = '', password = '', next = '', passkey = '', ...proof } = visit.form;
      const challenge = proof.second_factor_challenge;
      const known = challenge === undefined ? { username: email, password } : proof;
      const body = { client_id: platformClientId, grant_type: 'password', ...known };
      const texts = textsFor(visit);
      const outcome =
        passkey === ''
          ? await attempt(texts, () => visit.call(accountEndpoints.authenticate, { body }))
          : await enterByPasskey(visit, texts, platformClientId, passkey);
      if ('done' in outcome) return enter(outcome.done, next);
      const step = secondStepOf(outcome, challenge);
      return step ? codePage(visit, next, step) : signInPage(visit, next, { complaint: outcome.refused, email });
    },
  }),
  showConsoleRegistration: page({
    ...open,
    method: 'get',
    path: '/console/register',
    summary: 'Register as a merchant',
    handler: (visit) => Promise.resolve(registrationPage(visit)),
  }),
  registerInConsole: page({
    ...open,
    method: 'post',
    path: '/console/register',
    summary: 'Registers a merchant and signs in',
    form: AnyForm,
    handler: async (visit) => {
      const sent = { ...visit.form, password_confirmation: visit.form['password'] };
      const body = { ...sent, type: 'merchant', client_id: platformClientId, grant_type: 'password' };
      const outcome = await attempt(textsFor(visit), () => visit.call(accountEndpoints.createAccount, { body }));
      if ('refused' in outcome) return registrationPage(visit, { complaint: outcome.refused, values: visit.form });
      return enter(outcome.done, '');
    },
  }),
  signOutOfConsole: page({
    ...inConsole,
    auth: anyone(),
    method: 'post',
    path: '/console/sign-out',
    summary: 'Ends the session',
    handler: async (visit) => {
      if (visit.caller) await endOwnSession(visit.caller);
      return new Redirect('/console/sign-in', { signOut: true });
    },
  }),
};

interface Authentication {
  access_token: string;
  expires: number;
}

function enter({ access_token: token, expires }: Authentication, next: string): Redirect {
  const to = isInConsole(next) ? next : '/console';
  return new Redirect(to, { signIn: { token, expiresAtSeconds: expires } });
}

interface SignInState {
  complaint?: Complaint;
  email?: string;
  /** The uuid of the merchant with whose provider the visitor may sign in, and why a sign-in there was refused. */
  company?: string | undefined;
  refused?: string | undefined;
  /** Whether a form was sent after the end of the session. */
  ended?: string | undefined;
}

async function signInPage(
  visit: Visit,
  next: string,
  { complaint, email, company, refused, ended }: SignInState = {},
): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { t } = texts;
  const kept = html`<input type="hidden" name="next" value="${next}" />`;
  const fields = html`${complaints(texts, complaint, ['email', 'password'])} ${kept}
  ${field(texts, { name: 'email', type: 'email', label: t('common.email'), value: email, autocomplete: 'username webauthn', isRequired: true })}
  ${field(texts, { name: 'password', type: 'password', label: t('common.password'), autocomplete: 'current-password', isRequired: true })}
  ${submit(t('common.signIn'), { isFull: true })}`;
  const register = html`<p class="centred">
    ${t('console.noAccountYet')} <a href="/console/register">${t('console.register')}</a>
  </p>`;
  const content = html`<div class="card stack">
    <h1>${t('console.signInTitle')}</h1>
    ${endedNotice(texts, ended)} ${companyRefusal(texts, refused)} ${await companyWay(visit, texts, { company, next })}
    ${form(visit, { action: '/console/sign-in', content: fields })}
    ${passkeySignIn(visit, texts, { action: '/console/sign-in', clientId: platformClientId, kept })}
    <p class="centred"><a href="${forgottenPassword}">${t('paywall.forgotten')}</a></p>
    ${merchantSignupIsOpen && register}
  </div>`;
  return showEntry(visit, t('console.signInTitle'), content, complaint);
}

/** The second step of a sign-in, for an account with a second factor. */
function codePage(visit: Visit, next: string, step: SecondStep): PageResponse {
  const texts = textsFor(visit);
  const kept = html`<input type="hidden" name="next" value="${next}" />`;
  const content = html`<div class="stack">
    ${codeCard(visit, texts, { ...step, action: '/console/sign-in', kept, isAlone: true })}
    <p class="centred"><a href="/console/sign-in">${texts.t('common.back')}</a></p>
  </div>`;
  return showEntry(visit, texts.t('console.signInTitle'), content, step.complaint);
}

function registrationPage(
  visit: Visit,
  { complaint, values = {} }: { complaint?: Complaint; values?: Record<string, unknown> } = {},
): PageResponse {
  const texts = textsFor(visit);
  const { t } = texts;
  const known = (name: string) => ({ name, value: asText(values[name]), complaint, isRequired: true });
  const fields = html`${complaints(texts, complaint, ['full_name', 'username', 'password'])}
  ${field(texts, { ...known('full_name'), label: t('console.companyName'), autocomplete: 'organization' })}
  ${field(texts, { ...known('username'), type: 'email', label: t('common.email'), autocomplete: 'username' })}
  ${field(texts, {
    ...known('password'),
    value: undefined,
    type: 'password',
    label: t('common.password'),
    autocomplete: 'new-password',
    hint: t('console.passwordHint'),
  })}
  ${submit(t('console.register'), { isFull: true })}`;
  const closed = html`<p class="alert">${t('console.signupClosed')}</p>`;
  const content = html`<div class="card stack">
    <h1>${t('console.registerTitle')}</h1>
    ${merchantSignupIsOpen ? form(visit, { action: '/console/register', content: fields }) : closed}
    <p class="centred">${t('console.haveAccount')} <a href="/console/sign-in">${t('common.signIn')}</a></p>
  </div>`;
  return showEntry(visit, t('console.registerTitle'), content, complaint);
}
