import { z } from 'zod';
import { emailChangeEndpoints } from '../../accounts/emailChanges/emailChanges.endpoints';
import { passkeyEndpoints } from '../../accounts/passkeys/passkeys.endpoints';
import { secondFactorEndpoints } from '../../accounts/secondFactors/secondFactors.endpoints';
import { type Html } from '../../kit/html';
import { html } from '../../kit/html';
import { page, Redirect, type PageResponse, type Visit } from '../../kit/pages/page';
import { asksPassword } from '../customer/confirmation';
import { emailSection, type RefusedEmail } from '../customer/emailChange';
import { passkeySection } from '../customer/passkeys';
import { codesCard, factorSection, type NewFactor, type RefusedForm, setUpCard } from '../customer/secondFactor';
import { attempt, type Complaint } from '../layout/explain';
import { textsFor } from '../layout/texts';
import { inOperator, isInOperator, operatorPath, securityPath, showInOperator } from './frame';
import { sessionSection } from './sessions';

/**
 * The second factor, the passkeys, the address and the sessions of an operator. The other pages of the operators require the
 * second factor.
 */

export const emailPath = `${securityPath}/email`;
const factor = `${securityPath}/second-factor`;
const { listSecondFactors, startSecondFactor, confirmSecondFactor, deleteSecondFactor } = secondFactorEndpoints;
const { createRecoveryCodes } = secondFactorEndpoints;
const text = z.string().optional();
const FactorPath = z.object({ factor_id: z.uuid() });

export const operatorSecurityPages = {
  showOperatorSecurity: page({
    ...inOperator,
    method: 'get',
    path: securityPath,
    summary: 'The second factor, the passkeys, the address and the sessions of the operator',
    query: z.object({ done: text, page: text }),
    handler: (visit) => securityPage(visit, visit.query),
  }),
  confirmOperator: page({
    ...inOperator,
    method: 'post',
    path: '/operator/confirm',
    summary: 'Leads back to the page that required a confirmation',
    form: z.object({ next: text }),
    handler: ({ form: { next } }) => Promise.resolve(new Redirect(isInOperator(next) ? next : operatorPath)),
  }),
  startOperatorFactor: page({
    ...inOperator,
    method: 'post',
    path: factor,
    summary: 'Shows the picture for the authenticator app',
    form: z.object({ password: text }),
    handler: async (visit) => {
      const { password } = visit.form;
      const outcome = await attempt(textsFor(visit), () => visit.callOnce(startSecondFactor, { body: { password } }));
      if ('refused' in outcome) return securityPage(visit, { refused: { form: 'start', complaint: outcome.refused } });
      return setUpPage(visit, outcome.done.id, { started: outcome.done });
    },
  }),
  confirmOperatorFactor: page({
    ...inOperator,
    method: 'post',
    path: `${factor}/{factor_id}/confirm`,
    summary: 'Switches the second factor on, and shows the recovery codes',
    params: FactorPath,
    form: z.object({ code: text }),
    handler: async (visit) => {
      const { params, form } = visit;
      const sent = { params, body: { code: form.code } };
      const outcome = await attempt(textsFor(visit), () => visit.callOnce(confirmSecondFactor, sent));
      if ('refused' in outcome) return setUpPage(visit, params.factor_id, { complaint: outcome.refused });
      return codesPage(visit, outcome.done.recovery_codes);
    },
  }),
  renewOperatorCodes: page({
    ...inOperator,
    method: 'post',
    path: `${factor}/recovery-codes`,
    summary: 'Replaces the recovery codes, and shows them',
    form: z.object({ newCodes_code: text }),
    handler: async (visit) => {
      const body = { code: visit.form.newCodes_code };
      const outcome = await attempt(textsFor(visit), () => visit.callOnce(createRecoveryCodes, { body }));
      if ('refused' in outcome)
        return securityPage(visit, { refused: { form: 'newCodes', complaint: outcome.refused } });
      return codesPage(visit, outcome.done.recovery_codes);
    },
  }),
  switchOperatorFactorOff: page({
    ...inOperator,
    method: 'post',
    path: `${factor}/{factor_id}/off`,
    summary: 'Switches the second factor off. The operator must set up another one immediately',
    params: FactorPath,
    form: z.object({ switchOff_code: text }),
    handler: async (visit) => {
      const { params, form } = visit;
      const sent = { params, body: { code: form.switchOff_code } };
      const outcome = await attempt(textsFor(visit), () => visit.callOnce(deleteSecondFactor, sent));
      if ('refused' in outcome)
        return securityPage(visit, { refused: { form: 'switchOff', complaint: outcome.refused } });
      return new Redirect(`${securityPath}?done=changed`);
    },
  }),
};

interface SecurityState {
  refused?: RefusedForm;
  /** The refused form of a passkey. */
  keyComplaint?: Complaint;
  /** The refused form of the address. */
  email?: RefusedEmail;
  done?: string | undefined;
  /** The page of the sessions. */
  page?: string | undefined;
}

export async function securityPage(
  visit: Visit,
  { refused, keyComplaint, email, done, page: sessionPage }: SecurityState,
): Promise<PageResponse> {
  const texts = textsFor(visit);
  const factors = await visit.call(listSecondFactors);
  const { collection: passkeys } = await visit.call(passkeyEndpoints.listPasskeys);
  const change = await visit.call(emailChangeEndpoints.getEmailChange);
  const needed = factors.collection.length === 0 && html`<p class="alert warn">${texts.t('operator.factorNeeded')}</p>`;
  const content = html`${needed}
  ${factorSection(visit, texts, { factors, asksPassword: await asksPassword(visit), address: factor, refused })}
  ${passkeySection(visit, texts, { passkeys, address: `${securityPath}/passkeys`, complaint: keyComplaint })}
  ${emailSection(visit, texts, { change, action: emailPath, refused: email })}
  ${await sessionSection(visit, texts, sessionPage)}`;
  return showSecurity(visit, texts.t('operator.sections.security'), content, {
    complaint: refused?.complaint ?? keyComplaint ?? email?.complaint,
    done,
  });
}

function setUpPage(
  visit: Visit,
  factorId: string,
  { started, complaint }: { started?: NewFactor; complaint?: Complaint },
): PageResponse {
  const texts = textsFor(visit);
  const content = setUpCard(visit, texts, { action: `${factor}/${factorId}/confirm`, started, complaint });
  return showSecurity(visit, texts.t('secondFactor.setUpTitle'), content, { complaint });
}

function codesPage(visit: Visit, codes: readonly string[]): PageResponse {
  const texts = textsFor(visit);
  return showSecurity(visit, texts.t('secondFactor.codesTitle'), codesCard(texts, codes, operatorPath), {});
}

function showSecurity(
  visit: Visit,
  title: string,
  content: Html,
  { complaint, done }: { complaint?: Complaint | undefined; done?: string | undefined },
): PageResponse {
  return showInOperator(visit, { section: 'security', title, done }, content, complaint ? { status: 422 } : {});
}
