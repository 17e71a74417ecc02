import { z } from 'zod';
import { accountEndpoints } from '../../accounts/accounts.endpoints';
import { endOwnSession } from '../../accounts/tokens/tokens';
import { anyone } from '../../kit/auth';
import { html, type Html } from '../../kit/html';
import { page, Redirect, type PageResponse, type Visit } from '../../kit/pages/page';
import { operatorClientId } from '../../platform';
import { endedNotice } from '../customer/endedSession';
import { enterByPasskey, passkeySignIn } from '../customer/passkeys';
import { codeCard, type SecondStep, secondStepOf } from '../customer/secondFactor';
import { attempt, type Complaint } from '../layout/explain';
import { complaints, field, form, submit } from '../layout/forms';
import { show } from '../layout/page';
import { textsFor } from '../layout/texts';
import { operatorTheme } from '../layout/theme';
import { inOperator, isInOperator, operatorPath } from './frame';

const text = z.string().optional();
const SignInForm = z.object({
  ...{ email: text, password: text, next: text },
  ...{ second_factor_challenge: text, second_factor_code: text, passkey: text },
});
const open = { area: 'operator', auth: anyone() } as const;
const signInPath = '/operator/sign-in';

/** Sign-in and sign-out of operators. */
export const operatorEntryPages = {
  showOperatorSignIn: page({
    ...open,
    method: 'get',
    path: signInPath,
    summary: 'Sign in as an operator',
    query: z.object({ next: text, ended: text }),
    handler: (visit) =>
      Promise.resolve(
        visit.caller
          ? new Redirect(operatorPath)
          : signInPage(visit, visit.query.next ?? '', { ended: visit.query.ended }),
      ),
  }),
  signInOperator: page({
    ...open,
    method: 'post',
    path: signInPath,
    summary: 'Signs an operator in',
    form: SignInForm,
    handler: async (visit) => {
      const { email = '', password = '', next = '', passkey = '', ...proof } = visit.form;
      const challenge = proof.second_factor_challenge;
      const known = challenge === undefined ? { username: email, password } : proof;
      const body = { client_id: operatorClientId, grant_type: 'password', ...known };
      const texts = textsFor(visit);
      const outcome =
        passkey === ''
          ? await attempt(texts, () => visit.call(accountEndpoints.authenticate, { body }))
          : await enterByPasskey(visit, texts, operatorClientId, passkey);
      if ('done' in outcome) {
        const { access_token: token, expires: expiresAtSeconds } = outcome.done;
        return new Redirect(isInOperator(next) ? next : operatorPath, { signIn: { token, expiresAtSeconds } });
      }
      const step = secondStepOf(outcome, challenge);
      return step ? codePage(visit, next, step) : signInPage(visit, next, { complaint: outcome.refused, email });
    },
  }),
  signOutOperator: page({
    ...inOperator,
    auth: anyone(),
    method: 'post',
    path: '/operator/sign-out',
    summary: 'Ends the session',
    handler: async (visit) => {
      if (visit.caller) await endOwnSession(visit.caller);
      return new Redirect(signInPath, { signOut: true });
    },
  }),
};

function signInPage(
  visit: Visit,
  next: string,
  outcome: { complaint?: Complaint; email?: string; ended?: string | undefined } = {},
): PageResponse {
  const texts = textsFor(visit);
  const { t } = texts;
  const { complaint, email, ended } = outcome;
  const kept = html`<input type="hidden" name="next" value="${next}" />`;
  const fields = html`${complaints(texts, complaint, ['email', 'password'])} ${kept}
  ${field(texts, { name: 'email', type: 'email', label: t('common.email'), value: email, autocomplete: 'username webauthn', isRequired: true })}
  ${field(texts, { name: 'password', type: 'password', label: t('common.password'), autocomplete: 'current-password', isRequired: true })}
  ${submit(t('common.signIn'), { isFull: true })}`;
  const content = html`<div class="card stack">
    <h1>${t('operator.signInTitle')}</h1>
    ${endedNotice(texts, ended)} ${form(visit, { action: signInPath, content: fields })}
    ${passkeySignIn(visit, texts, { action: signInPath, clientId: operatorClientId, kept })}
    <p class="quiet small">${t('operator.signInHint')}</p>
  </div>`;
  return showEntry(visit, content, complaint);
}

function codePage(visit: Visit, next: string, step: SecondStep): PageResponse {
  const texts = textsFor(visit);
  const hiddenNext = html`<input type="hidden" name="next" value="${next}" />`;
  const content = html`<div class="stack">
    ${codeCard(visit, texts, { ...step, action: signInPath, kept: hiddenNext, isAlone: true })}
    <p class="centred"><a href="${signInPath}">${texts.t('common.back')}</a></p>
  </div>`;
  return showEntry(visit, content, step.complaint);
}

function showEntry(visit: Visit, content: Html, complaint: Complaint | undefined): PageResponse {
  const { t } = textsFor(visit);
  const theme = { ...operatorTheme, name: t('operator.name') };
  const frame = { title: t('operator.signInTitle'), theme, isNarrow: true };
  return show(visit, frame, content, complaint ? { status: 422 } : {});
}
