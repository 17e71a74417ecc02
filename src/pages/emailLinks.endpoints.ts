import { z } from 'zod';
import { confirmEmailChange, findConfirmationHome, needsOwnerProof } from '../accounts/emailChanges/confirmations';
import { findRefusalHome, refuseEmailChange } from '../accounts/emailChanges/refusals';
import { endpoint, type RequestFacts } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import {
  expiredPage,
  linkPage,
  newPasswordPage,
  type OpenedLink,
  openLink,
  refusalAt,
  refusalOf,
} from './customer/openedLinks';
import {
  accountClosedPage,
  emailChangedPage,
  emailConfirmationPage,
  emailRefusalPage,
  emailTakenPage,
} from './emailLinks';
import { plainTexts } from './layout/plain';

const ConfirmationForm = z.object({ password: z.string().max(256).optional() });

const atConfirmation = {
  ...linkPage,
  path: '/accounts/email/{token}',
  refusal: refusalAt(findConfirmationHome),
} as const;
const atRefusal = { ...linkPage, path: '/accounts/email/stop/{token}', refusal: refusalAt(findRefusalHome) } as const;

export const emailLinkEndpoints = {
  showEmailRefusal: endpoint({
    ...atRefusal,
    method: 'get',
    summary: 'The page where the owner of the former address stops or undoes a change of the address',
    handler: ({ params, request }) => showRefusal(params.token, request),
  }),
  submitEmailRefusal: endpoint({
    ...atRefusal,
    method: 'post',
    summary: 'Stops or undoes the change, ends all sessions, and asks for a new password',
    handler: ({ params, request }) => submitRefusal(params.token, request),
  }),
  showEmailConfirmation: endpoint({
    ...atConfirmation,
    method: 'get',
    summary: 'The page behind the link to a new address',
    handler: ({ params, request }) => showConfirmation(params.token, request),
  }),
  submitEmailConfirmation: endpoint({
    ...atConfirmation,
    method: 'post',
    summary: 'Changes the address',
    body: ConfirmationForm,
    handler: ({ params, body, request }) => submitConfirmation(params.token, body, request),
  }),
};

async function showConfirmation(token: string, request: RequestFacts) {
  const found = await findConfirmationHome(token);
  const link = await openLink(found, request);
  if (!found || !link.isAlive) return closedPage(link);
  return emailConfirmationPage(link, {
    email: found.change.email,
    asksPassword: await needsOwnerProof(token, request),
  });
}

async function submitConfirmation(token: string, form: z.output<typeof ConfirmationForm>, request: RequestFacts) {
  const found = await findConfirmationHome(token);
  const link = await openLink(found, request);
  if (!found || !link.isAlive) return closedPage(link);
  const { email } = found.change;
  const asksPassword = await needsOwnerProof(token, request);
  const password = asksPassword ? (form.password ?? '') : undefined;
  try {
    const refused = await refusalOf(() => confirmEmailChange(token, request, password));
    if (!refused) return emailChangedPage(link, email);
    if (refused.code === 'email_token_invalid') return closedPage(link);
    // The password is needed, also if the visitor's session ended in this moment.
    return emailConfirmationPage(link, { email, asksPassword: true, refused });
  } catch (error) {
    if (error instanceof AppError && error.code === 'email_taken') return emailTakenPage(link);
    throw error;
  }
}

async function showRefusal(token: string, request: RequestFacts) {
  const found = await findRefusalHome(token);
  const link = await openLink(found, request);
  if (!found || !link.isAlive) return closedPage(link);
  return emailRefusalPage(link, { email: found.change.email, isMoved: found.isMoved });
}

/** The link proves control of the former mailbox, so the new password needs no further mail. */
async function submitRefusal(token: string, request: RequestFacts) {
  const found = await findRefusalHome(token);
  const link = await openLink(found, request);
  let resetToken: string | undefined;
  const refused = await refusalOf(async () => (resetToken = await refuseEmailChange(token, request)));
  if (refused) return closedPage(link);
  if (resetToken === undefined) return accountClosedPage(link);
  const isOfTeam = found?.account.role === 'merchant' || found?.account.role === 'staff';
  const hint = isOfTeam ? plainTexts(request).t('links.emailTeamHint') : undefined;
  return newPasswordPage(link, { action: `/accounts/forgot-password/${resetToken}`, hint });
}

const closedPage = (link: OpenedLink) =>
  expiredPage(link, 'sign-in', plainTexts(link.request).t('links.emailExpiredHint'));
