import { z } from 'zod';
import { activateAccount, findActivationHome, needsPassword, takeOverAccount } from '../accounts/signIn/activation';
import { findResetHome, resetPasswordByForm } from '../accounts/signIn/passwordReset';
import { findRejectionHome, rejectFactor } from '../accounts/secondFactors/rejections';
import { endpoint, type RequestFacts } from '../kit/endpoint';
import {
  expiredPage,
  linkPage,
  newPasswordPage,
  type OpenedLink,
  openLink,
  pressedPage,
  refusalAt,
  refusalOf,
} from './customer/openedLinks';
import { plainTexts } from './layout/plain';
import { confirmExport, findExportHome } from '../privacy/exports';
import {
  activatedPage,
  activationPage,
  exportConfirmationPage,
  exportConfirmedPage,
  factorRejectionPage,
  passwordChangedPage,
} from './mailedLinks';

/** Without rules, because the service checks the fields and the form shows its errors. */
const NewPasswordForm = z.object({ password: z.string().optional(), password_confirmation: z.string().optional() });

/** `do`: the pressed button. `take` is the button for a person who did not choose the password. */
const ActivationForm = z.object({ password: z.string().max(256).optional(), do: z.string().max(20).optional() });

const atActivation = { ...linkPage, refusal: refusalAt(findActivationHome) } as const;
const atReset = { ...linkPage, refusal: refusalAt(findResetHome) } as const;

const atRejection = { ...linkPage, refusal: refusalAt(findRejectionHome) } as const;
const atExport = { ...linkPage, refusal: refusalAt(findExportHome) } as const;

const openActivation = async (token: string, request: RequestFacts) =>
  openLink(await findActivationHome(token), request);
const openExport = async (token: string, request: RequestFacts) => openLink(await findExportHome(token), request);
const openRejection = async (token: string, request: RequestFacts) => openLink(await findRejectionHome(token), request);
const openReset = async (token: string, request: RequestFacts) => openLink(await findResetHome(token), request);

export const mailedLinkEndpoints = {
  showActivation: endpoint({
    ...atActivation,
    method: 'get',
    path: '/accounts/activate/{token}',
    summary: 'The page behind the link of an activation mail',
    handler: async ({ params, request }) => {
      const link = await openActivation(params.token, request);
      if (!link.isAlive) return expiredPage(link, 'sign-in');
      return activationPage(link, { asksPassword: await needsPassword(params.token, request) });
    },
  }),
  submitActivation: endpoint({
    ...atActivation,
    method: 'post',
    path: '/accounts/activate/{token}',
    summary: 'Activates the account',
    body: ActivationForm,
    handler: ({ params, body, request }) => submitActivation(params.token, body, request),
  }),
  showNewPassword: endpoint({
    ...atReset,
    method: 'get',
    path: '/accounts/forgot-password/{token}',
    summary: 'The page behind the link to a new password',
    handler: async ({ params, request }) => {
      const link = await openReset(params.token, request);
      return link.isAlive ? newPasswordPage(link) : expiredPage(link, 'forgotten');
    },
  }),
  submitNewPassword: endpoint({
    ...atReset,
    method: 'post',
    path: '/accounts/forgot-password/{token}',
    summary: 'Sets the new password',
    body: NewPasswordForm,
    handler: ({ params, body, request }) => submitNewPassword(params.token, body, request),
  }),
  showFactorRejection: endpoint({
    ...atRejection,
    method: 'get',
    path: '/accounts/second-factor/{token}',
    summary: 'The page behind the link of a mail about a new second factor',
    handler: async ({ params, request }) => {
      const link = await openRejection(params.token, request);
      return link.isAlive ? factorRejectionPage(link) : rejectedPage(link, params.token);
    },
  }),
  submitFactorRejection: endpoint({
    ...atRejection,
    method: 'post',
    path: '/accounts/second-factor/{token}',
    summary: 'Removes the second factor, ends all sessions, and asks for a new password',
    handler: ({ params, request }) => submitRejection(params.token, request),
  }),
  showExportConfirmation: endpoint({
    ...atExport,
    method: 'get',
    path: '/accounts/export/{token}',
    summary: 'The page behind the link that confirms an export',
    handler: async ({ params, request }) => {
      const link = await openExport(params.token, request);
      return link.isAlive ? exportConfirmationPage(link) : expiredPage(link, 'sign-in');
    },
  }),
  submitExportConfirmation: endpoint({
    ...atExport,
    method: 'post',
    path: '/accounts/export/{token}',
    summary: 'Confirms the export',
    handler: ({ params, request }) => submitExport(params.token, request),
  }),
};

async function submitActivation(token: string, form: z.output<typeof ActivationForm>, request: RequestFacts) {
  // The link is opened before the token is used, because the owner of a used token is unknown.
  const link = await openActivation(token, request);
  if (!link.isAlive) return expiredPage(link, 'sign-in');
  if (form.do === 'take') return takeOver(token, link);
  const asksPassword = await needsPassword(token, request);
  const password = asksPassword ? (form.password ?? '') : undefined;
  const refused = await refusalOf(() => activateAccount(token, request, password));
  if (!refused) return activatedPage(link);
  if (refused.code === 'activation_token_invalid') return expiredPage(link, 'sign-in');
  return activationPage(link, { asksPassword, refused });
}

/** Confirms the account with a new password. The link proves control of the mailbox, so no further mail is needed. */
async function takeOver(token: string, link: OpenedLink) {
  let resetToken = '';
  const refused = await refusalOf(async () => (resetToken = await takeOverAccount(token)));
  if (refused) return expiredPage(link, 'sign-in');
  return newPasswordPage(link, { action: `/accounts/forgot-password/${resetToken}` });
}

async function submitRejection(token: string, request: RequestFacts) {
  const link = await openRejection(token, request);
  if (link.isAlive) await refusalOf(() => rejectFactor(token, request));
  return rejectedPage(link, token);
}

async function rejectedPage(link: OpenedLink, token: string) {
  const { request } = link;
  const hint = plainTexts(request).t('links.factorRejected');
  return (await pressedPage(token, request, () => hint)) ?? expiredPage(link, 'sign-in');
}

async function submitNewPassword(token: string, form: z.output<typeof NewPasswordForm>, request: RequestFacts) {
  const link = await openReset(token, request);
  const refused = await refusalOf(() => resetPasswordByForm(token, form, request));
  if (!refused) return passwordChangedPage(link);
  return refused.code === 'reset_token_invalid' ? expiredPage(link, 'forgotten') : newPasswordPage(link, { refused });
}

async function submitExport(token: string, request: RequestFacts) {
  const link = await openExport(token, request);
  const refused = await refusalOf(() => confirmExport(token, request.requestId));
  return refused ? expiredPage(link, 'sign-in') : exportConfirmedPage(link);
}
