import { z } from 'zod';
import { resetTokenOf } from '../../accounts/signIn/mailedTokens';
import { findResetHome } from '../../accounts/signIn/passwordReset';
import { anyone } from '../../kit/auth';
import { type Refusal, type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { html, type Html } from '../../kit/html';
import { explain } from '../layout/explain';
import { complaints, field, submit } from '../layout/forms';
import { type Texts } from '../layout/texts';
import { picturesAllowed, type PlainFrame, plainPage, plainTexts } from '../layout/plain';
import { consoleHome, continueButton, type Home, homeOf, noHome, operatorHome } from './home';
import { refusalPage } from './refusal';

/** What the pages behind mailed tokens have in common. */

/** The pages of mailed links. An app with its own pages sends the token to the same paths with PUT. */
export const linkPage = {
  auth: anyone(),
  limit: 'credentials',
  params: z.object({ token: z.string().min(1).max(200) }),
  status: 200,
  response: z.string(),
  produces: 'text/html',
  errors: [],
} as const;

/** The holder of a token. */
interface TokenHome {
  isAlive: boolean;
  /** Undefined for a merchant, who uses the console. */
  merchantUuid: string | undefined;
  isOperator?: boolean;
}

/** The error page. A token that is too long has no merchant. */
export function refusalAt(findHome: (token: string) => Promise<TokenHome | undefined>): Refusal {
  return async (error, { token = '' }, request) => {
    const isToken = linkPage.params.safeParse({ token }).success;
    return refusalPage(error, request, isToken ? await homeFor(await findHome(token), request) : noHome);
  };
}

export async function openLink(found: TokenHome | undefined, request: RequestFacts): Promise<OpenedLink> {
  return { request, isAlive: found?.isAlive ?? false, home: await homeFor(found, request) };
}

async function homeFor(found: TokenHome | undefined, request: RequestFacts): Promise<Home> {
  if (!found) return noHome;
  if (found.isOperator) return operatorHome(request);
  return found.merchantUuid === undefined ? consoleHome(request) : homeOf(found.merchantUuid, request);
}

/** The error, if the visitor can correct it on the page. Other errors are thrown. */
export async function refusalOf(work: () => Promise<unknown>): Promise<AppError | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof AppError && (error.status === 400 || error.status === 422)) return error;
    throw error;
  }
}

/** An opened link: whether it is valid, and the merchant to whom it belongs. */
export interface OpenedLink {
  request: RequestFacts;
  isAlive: boolean;
  home: Home;
}

/** The field for the account's password, below the refusal of the last attempt. */
export function passwordField(texts: Texts, refused: AppError | undefined): Html {
  const complaint = refused && explain(texts, refused);
  const label = texts.t('common.password');
  return html`${complaints(texts, complaint, { password: label })}
  ${field(texts, {
    ...{ name: 'password', type: 'password', autocomplete: 'current-password' },
    ...{ label, isRequired: true, complaint },
  })}`;
}

/** `refused`: the error of the last attempt. `action`: the address of the form, if it differs from that of the page. */
export function newPasswordPage(
  link: OpenedLink,
  { refused, action, hint }: { refused?: AppError; action?: string; hint?: string | undefined } = {},
) {
  const texts = plainTexts(link.request);
  const { t } = texts;
  const complaint = refused && explain(texts, refused);
  const labels = { password: t('portal.profile.newPassword'), password_confirmation: t('links.onceMore') };
  const common = { type: 'password', autocomplete: 'new-password', isRequired: true, complaint } as const;
  const content = html`${hint !== undefined && html`<p>${hint}</p>`}
    <form method="post" class="stack" ${action === undefined ? '' : html`action="${action}"`}>
      ${complaints(texts, complaint, labels)}
      ${field(texts, { ...common, name: 'password', label: labels.password, hint: t('paywall.passwordHint'), more: { minlength: '8', autofocus: '' } })}
      ${field(texts, { ...common, name: 'password_confirmation', label: labels.password_confirmation, more: { minlength: '8' } })}
      ${submit(t('links.setPassword'), { isFull: true })}
    </form>`;
  return openedPage(link, { title: t('links.setPasswordTitle') }, content);
}

/**
 * The form for the new password after the button of a link has ended the old one. A second press, and the link opened again,
 * lead to it until the password is set. Undefined if the button was not pressed, or longer ago than an hour.
 */
export async function pressedPage(
  token: string,
  request: RequestFacts,
  hintFor: (home: TokenHome) => string | undefined,
) {
  const resetToken = resetTokenOf(token);
  const home = await findResetHome(resetToken);
  if (!home?.isAlive) return undefined;
  const action = `/accounts/forgot-password/${resetToken}`;
  return newPasswordPage(await openLink(home, request), { action, hint: hintFor(home) });
}

/**
 * The page of an expired or used link. The owner of an expired link can request another. A used link has no known
 * owner.
 */
export function expiredPage(link: OpenedLink, to: 'sign-in' | 'forgotten', hint?: string) {
  const { t } = plainTexts(link.request);
  const text = to === 'forgotten' ? t('links.askAgain') : t('common.signIn');
  const content = html`<p>${hint ?? t('links.expiredHint')}</p>
    ${continueButton(link.home.linkTo?.(to), text)}`;
  return openedPage(link, { title: t('links.expired') }, content);
}

export function openedPage({ request, home }: OpenedLink, frame: PlainFrame, content: Html) {
  const { theme } = home;
  return plainPage(
    request,
    { ...frame, theme, allows: [picturesAllowed, "form-action 'self'"] },
    html`<h1>${frame.title}</h1>
      ${content}`,
  );
}
