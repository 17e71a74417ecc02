import { html } from '../../kit/html';
import { type PageResponse } from '../../kit/pages/page';
import { endedNotice } from '../customer/endedSession';
import {
  type Authentication,
  authenticate,
  type MailedLink,
  mailedLinkCard,
  mailLink,
  signInCard,
} from '../customer/entry';
import { type SecondStep, secondStepOf } from '../customer/secondFactor';
import { type Fields, flatten } from '../customer/registerFields';
import { createCustomer, registerCard } from '../customer/registration';
import { type Complaint } from '../layout/explain';
import { address, choiceQuery, type EarlyChoice, keptChoice, type Paywall, stage, stageId, stepLink } from './parts';

interface AccountState extends EarlyChoice {
  values?: Fields;
  complaint?: Complaint | undefined;
  /** The second step of a sign-in. */
  step?: SecondStep | undefined;
  /** Whether a form was sent after the end of the session. */
  ended?: string | undefined;
}

/** The merchant's registration fields, in addition to name, address and password. */
export async function registerStage(paywall: Paywall, state: AccountState = {}): Promise<PageResponse> {
  const { t } = paywall.texts;
  const { values, complaint } = state;
  const card = await registerCard(paywall, {
    action: address(paywall, 'register'),
    target: stageId,
    comeBackTo: address(paywall, '', choiceQuery(state)),
    kept: keptChoice(state),
    asksAge: paywall.item.age_restriction !== null,
    values,
    complaint,
  });
  const body = html`${card}
    <p class="centred">
      ${t('paywall.haveAccount')} ${stepLink(paywall, { step: 'sign-in', ...choiceQuery(state) }, t('common.signIn'))}
    </p>`;
  return stage(paywall, body, complaint ? { status: 422 } : {});
}

export async function signInStage(paywall: Paywall, state: AccountState = {}): Promise<PageResponse> {
  const { t } = paywall.texts;
  const { values, complaint, step } = state;
  const card = await signInCard(paywall, {
    action: address(paywall, 'sign-in'),
    target: stageId,
    comeBackTo: address(paywall, '', choiceQuery(state)),
    others: html`${stepLink(paywall, { step: 'sign-in-link', ...choiceQuery(state) }, t('paywall.signInLink'))} ·
    ${stepLink(paywall, { step: 'forgotten', ...choiceQuery(state) }, t('paywall.forgotten'))}`,
    kept: keptChoice(state),
    step,
    values,
    complaint,
  });
  const body = html`${endedNotice(paywall.texts, state.ended)} ${card}
    <p class="centred">
      ${t('paywall.noAccount')} ${stepLink(paywall, { step: 'register', ...choiceQuery(state) }, t('paywall.register'))}
    </p>`;
  return stage(paywall, body, complaint ? { status: 422 } : {});
}

export function mailedLinkStage(
  paywall: Paywall,
  state: AccountState & { link: MailedLink; isSent?: boolean },
): PageResponse {
  const entry = { ...state, action: address(paywall, state.link), target: stageId, kept: keptChoice(state) };
  const body = html`${mailedLinkCard(paywall, entry)}
    <p class="centred">
      ${stepLink(paywall, { step: 'sign-in', ...choiceQuery(state) }, paywall.texts.t('common.back'))}
    </p>`;
  return stage(paywall, body, state.complaint ? { status: 422 } : {});
}

/** The new session, or the form with its errors. */
export async function register(paywall: Paywall, fields: Fields): Promise<Authentication | PageResponse> {
  const outcome = await createCustomer(paywall, fields);
  if ('done' in outcome) return outcome.done;
  return registerStage(paywall, { values: flatten(fields), complaint: outcome.refused, ...early(fields) });
}

export async function signIn(paywall: Paywall, fields: Fields): Promise<Authentication | PageResponse> {
  const outcome = await authenticate(paywall, fields);
  if ('done' in outcome) return outcome.done;
  const step = secondStepOf(outcome, fields['second_factor_challenge']);
  const complaint = step ? step.complaint : outcome.refused;
  return signInStage(paywall, { values: fields, step, complaint, ...early(fields) });
}

/** A sign-in link leads back to the item and to the choice. */
export async function askForLink(paywall: Paywall, link: MailedLink, fields: Fields): Promise<PageResponse> {
  const { email } = fields;
  const outcome = await mailLink(paywall, { link, email, next: address(paywall, '', choiceQuery(fields)) });
  if ('done' in outcome) return mailedLinkStage(paywall, { link, isSent: true, ...early(fields) });
  return mailedLinkStage(paywall, { link, values: { email }, complaint: outcome.refused, ...early(fields) });
}

const early = ({ fee, gift }: Fields): EarlyChoice => ({ fee, gift });
