import { z } from 'zod';
import { activateAccount, findActivationHome, needsPassword, takeOverAccount } from '../accounts/signIn/activation';
import { findResetHome, resetPasswordByForm } from '../accounts/signIn/passwordReset';
import { anyone } from '../kit/auth';
import { endpoint, type Refusal, type RequestFacts } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import { consoleHome, type Home, homeOf, noHome, operatorHome } from './customer/home';
import { confirmExport, findExportHome } from '../privacy/exports';
import { refusalPage } from './customer/refusal';
import {
  activatedPage,
  activationPage,
  expiredPage,
  exportConfirmationPage,
  exportConfirmedPage,
  newPasswordPage,
  type OpenedLink,
  passwordChangedPage,
} from './mailedLinks';

/** The pages of mailed links. An app with its own pages sends the token to the same paths with PUT. */
const linkPage = {
  auth: anyone(),
  limit: 'credentials',
  params: z.object({ token: z.string().min(1).max(200) }),
  status: 200,
  response: z.string(),
  produces: 'text/html',
  errors: [],
} as const;

/** Without rules, because the service checks the fields and the form shows its errors. */
const NewPasswordForm = z.object({ password: z.string().optional(), password_confirmation: z.string().optional() });

/** `do`: the pressed button. `take` is the button for a person who did not choose the password. */
const ActivationForm = z.object({ password: z.string().max(256).optional(), do: z.string().max(20).optional() });

const atActivation = { ...linkPage, refusal: refusalAt(findActivationHome) } as const;
const atReset = { ...linkPage, refusal: refusalAt(findResetHome) } as const;

const atExport = { ...linkPage, refusal: refusalAt(findExportHome) } as const;

const openActivation = async (token: string, request: RequestFacts) => open(await findActivationHome(token), request);
const openExport = async (token: string, request: RequestFacts) => open(await findExportHome(token), request);
const openReset = async (token: string, request: RequestFacts) => open(await findResetHome(token), request);

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

/** The error page. A token that is too long has no merchant. */
function refusalAt(findHome: (token: string) => ReturnType<typeof findResetHome>): Refusal {
  return async (error, { token = '' }, request) => {
    const isToken = linkPage.params.safeParse({ token }).success;
    return refusalPage(error, request, isToken ? await homeFor(await findHome(token), request) : noHome);
  };
}

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

async function open(
  found: { isAlive: boolean; merchantUuid: string | undefined } | undefined,
  request: RequestFacts,
): Promise<OpenedLink> {
  return { request, isAlive: found?.isAlive ?? false, home: await homeFor(found, request) };
}

async function homeFor(
  found: { merchantUuid: string | undefined; isOperator?: boolean } | undefined,
  request: RequestFacts,
): Promise<Home> {
  if (!found) return noHome;
  if (found.isOperator) return operatorHome(request);
  return found.merchantUuid === undefined ? consoleHome(request) : homeOf(found.merchantUuid, request);
}

/** The error, if the visitor can correct it on the page. Other errors are thrown. */
async function refusalOf(work: () => Promise<unknown>): Promise<AppError | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof AppError && (error.status === 400 || error.status === 422)) return error;
    throw error;
  }
}
