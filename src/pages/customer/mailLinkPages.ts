import { z } from 'zod';
import { anyone } from '../../kit/auth';
import { Answer, type RequestFacts } from '../../kit/endpoint';
import { type AppError } from '../../kit/errors';
import { html, type Html } from '../../kit/html';
import { isTestEnvironment } from '../../platform';
import { continueButton, type Home, homeOf, noHome } from './home';
import { refusalPage } from './refusal';
import { picturesAllowed, type PlainFrame, plainHeaders, plainPage, plainTexts } from '../layout/plain';

/** What the pages behind the links in mails have in common. They need no sign-in, because the token is sealed. */

const LinkPath = z.object({ token: z.string().min(1).max(200) });

/** The merchant of a link, for the branding of the page. Undefined if the link is not valid. */
type MerchantFinder = (token: string) => Promise<string | undefined>;

/** The common part of the declarations. An error has the branding of the link's merchant. */
export const mailLinkPage = (findMerchant: MerchantFinder) =>
  ({
    auth: anyone(),
    limit: 'credentials',
    params: LinkPath,
    status: 200,
    response: z.string(),
    produces: 'text/html',
    refusal: async (error: AppError, { token = '' }: Record<string, string>, request: RequestFacts) =>
      refusalPage(error, request, await homeOfLink(token, request, findMerchant)),
  }) as const;

export async function homeOfLink(token: string, request: RequestFacts, findMerchant: MerchantFinder): Promise<Home> {
  const merchantUuid = LinkPath.safeParse({ token }).success ? await findMerchant(token) : undefined;
  return merchantUuid === undefined ? noHome : homeOf(merchantUuid, request);
}

export function redirectTo(address: string): Answer<string> {
  const headers = { ...plainHeaders(), Location: address };
  return new Answer('', { contentType: 'text/html; charset=utf-8', headers, status: 303 });
}

export function linkPage(request: RequestFacts, frame: PlainFrame, content: Html) {
  return plainPage(
    request,
    { ...frame, isTest: isTestEnvironment, allows: [picturesAllowed] },
    html`<h1>${frame.title}</h1>
      ${content}`,
  );
}

/** The page of a link that has nothing left to do, with a button to the account. */
export function outcomePage(
  request: RequestFacts,
  { theme, linkTo }: Home,
  { title, text, more }: { title: string; text: string; more?: string | false },
) {
  const content = html`<p>${text}</p>
    ${more && html`<p>${more}</p>`} ${continueButton(linkTo?.('sign-in'), plainTexts(request).t('paywall.manage'))}`;
  return linkPage(request, { title, theme }, content);
}
