import { z } from 'zod';
import { confirmEmailChange, findConfirmationHome, needsOwnerProof } from '../accounts/emailChanges/confirmations';
import { findRefusalHome, refuseEmailChange } from '../accounts/emailChanges/refusals';
import { type TokenHome } from '../accounts/signIn/mailedTokens';
import { endpoint, type RequestFacts } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import {
  expiredPage,
  linkPage,
  type OpenedLink,
  openLink,
  pressedPage,
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
  if (!found || !link.isAlive) return refusedPage(link, token);
  return emailRefusalPage(link, { email: found.change.email, isMoved: found.isMoved });
}

/** The link proves control of the former mailbox, so the new password needs no further mail. */
async function submitRefusal(token: string, request: RequestFacts) {
  const link = await openLink(await findRefusalHome(token), request);
  let isClosed = false;
  await refusalOf(async () => ({ isClosed } = await refuseEmailChange(token, request)));
  return isClosed ? accountClosedPage(link) : refusedPage(link, token);
}

async function refusedPage(link: OpenedLink, token: string) {
  const { request } = link;
  const teamHint = plainTexts(request).t('links.emailTeamHint');
  const isOfTeam = ({ merchantUuid, isOperator }: TokenHome) => merchantUuid === undefined && isOperator !== true;
  return (await pressedPage(token, request, (home) => (isOfTeam(home) ? teamHint : undefined))) ?? closedPage(link);
}

const closedPage = (link: OpenedLink) =>
  expiredPage(link, 'sign-in', plainTexts(link.request).t('links.emailExpiredHint'));
