import { getBrand } from '../../branding/branding';
import { AppError } from '../../kit/errors';
import { type RequestFacts } from '../../kit/endpoint';
import { html, type Html } from '../../kit/html';
import { keepingLanguage } from '../layout/plain';
import { houseTheme, type Theme, themeOf } from '../layout/theme';

/** The branding and the portal of the merchant, for pages outside the portal. */

export interface Home {
  theme: Theme;
  /** Links to pages of the portal or the console. Undefined if there is neither. */
  linkTo: ((page: 'sign-in' | 'forgotten') => string) | undefined;
}

export const noHome: Home = { theme: houseTheme, linkTo: undefined };

/** The home of a merchant's customers. A deleted merchant has none. The links keep the requested language. */
export async function homeOf(merchantUuid: string, request: RequestFacts): Promise<Home> {
  try {
    const theme = themeOf(await getBrand(merchantUuid));
    return { theme, linkTo: (page) => keepingLanguage(request, `/portal/${merchantUuid}/${page}`) };
  } catch (error) {
    if (error instanceof AppError && error.code === 'account_not_found') return noHome;
    throw error;
  }
}

/** The home of merchants: the console. */
export function consoleHome(request: RequestFacts): Home {
  return { theme: houseTheme, linkTo: (page) => keepingLanguage(request, `/console/${page}`) };
}

/** The home of operators: the pages of the installation. */
export function operatorHome(request: RequestFacts): Home {
  return { theme: houseTheme, linkTo: () => keepingLanguage(request, '/operator/sign-in') };
}

export function continueButton(
  address: string | undefined,
  text: string,
  kind: 'main' | 'other' = 'main',
): Html | undefined {
  return address === undefined ? undefined : html`<p><a class="button ${kind} full" href="${address}">${text}</a></p>`;
}
