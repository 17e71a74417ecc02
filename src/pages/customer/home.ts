import { getBrand } from '../../branding/service';
import { AppError } from '../../kit/errors';
import { type RequestFacts } from '../../kit/endpoint';
import { html, type Html } from '../../kit/html';
import { keepingLanguage } from '../layout/plain';
import { houseTheme, type Theme, themeOf } from '../layout/theme';

/** Where somebody goes on from a page that stands alone: the merchant's looks, and its portal. */

export interface Home {
  theme: Theme;
  /** A page of the portal, or of the console for a merchant; undefined where there is nowhere to go on to. */
  way: ((page: 'sign-in' | 'forgotten') => string) | undefined;
}

export const nowhere: Home = { theme: houseTheme, way: undefined };

/** Of a merchant that is gone there is no home any more. The language that an address asked for goes along. */
export async function homeOf(merchantUuid: string, request: RequestFacts): Promise<Home> {
  try {
    const theme = themeOf(await getBrand(merchantUuid));
    return { theme, way: (page) => keepingLanguage(request, `/portal/${merchantUuid}/${page}`) };
  } catch (error) {
    if (error instanceof AppError && error.code === 'account_not_found') return nowhere;
    throw error;
  }
}

/** A merchant is at home in the console. */
export function consoleHome(request: RequestFacts): Home {
  return { theme: houseTheme, way: () => keepingLanguage(request, '/console/sign-in') };
}

export function wayOn(address: string | undefined, text: string): Html | undefined {
  return address === undefined ? undefined : html`<p><a class="button main full" href="${address}">${text}</a></p>`;
}
