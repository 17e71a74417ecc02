import { z } from 'zod';
import { activateAccount, isActivationToken } from '../../accounts/activation/service';
import { isResetToken, resetPasswordByForm } from '../../accounts/passwordReset/service';
import { anyone } from '../../kit/auth';
import { Answer, endpoint } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { activationPage, closingPage, newPasswordPage } from './template';

/** Where the links of mails lead. An app with pages of its own sends the token to the same paths with PUT. */
const headers = {
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'",
};
const show = (page: string) => new Answer(page, { contentType: 'text/html; charset=utf-8', headers });

const linkPage = {
  auth: anyone(),
  limit: 'credentials',
  params: z.object({ token: z.string().min(1).max(200) }),
  status: 200,
  response: z.string(),
  produces: 'text/html',
  errors: [],
} as const;

/** Checked by the service, so that a complaint is shown beside the form. */
const NewPasswordForm = z.object({ password: z.string().optional(), password_confirmation: z.string().optional() });

export const mailedLinkEndpoints = {
  showActivation: endpoint({
    ...linkPage,
    method: 'get',
    path: '/accounts/activate/{token}',
    summary: 'The page behind the link of an activation mail',
    handler: async ({ params }) => show((await isActivationToken(params.token)) ? activationPage() : expiredPage()),
  }),
  submitActivation: endpoint({
    ...linkPage,
    method: 'post',
    path: '/accounts/activate/{token}',
    summary: 'The button of that page',
    handler: ({ params }) => submitActivation(params.token),
  }),
  showNewPassword: endpoint({
    ...linkPage,
    method: 'get',
    path: '/accounts/forgot-password/{token}',
    summary: 'The page behind the link to a new password',
    handler: async ({ params }) => show((await isResetToken(params.token)) ? newPasswordPage() : expiredPage()),
  }),
  submitNewPassword: endpoint({
    ...linkPage,
    method: 'post',
    path: '/accounts/forgot-password/{token}',
    summary: 'The form of that page',
    body: NewPasswordForm,
    handler: ({ params, body }) => submitNewPassword(params.token, body),
  }),
};

async function submitActivation(token: string) {
  return show(
    await orComplaint(
      async () => {
        await activateAccount(token);
        return closingPage('Your account is active', 'You can close this window.');
      },
      () => expiredPage(),
    ),
  );
}

async function submitNewPassword(token: string, form: z.output<typeof NewPasswordForm>) {
  return show(
    await orComplaint(
      async () => {
        await resetPasswordByForm(token, form);
        return closingPage('Your password is changed', 'You can sign in with it now.');
      },
      (error) => (error.code === 'reset_token_invalid' ? expiredPage() : newPasswordPage(complaintOf(error))),
    ),
  );
}

/** What the person at the page can mend is shown on the page; anything else fails as everywhere. */
async function orComplaint(work: () => Promise<string>, explain: (error: AppError) => string): Promise<string> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError && (error.status === 400 || error.status === 422)) return explain(error);
    throw error;
  }
}

function expiredPage(): string {
  return closingPage(
    'This link does not work any more',
    'It was used before, or it is too old. Please ask for another.',
  );
}

function complaintOf(error: AppError): string {
  return Object.values(error.details.errors ?? {})[0] ?? error.message;
}
