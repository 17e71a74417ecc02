import { z } from 'zod';
import { anyone } from '../kit/auth';
import { type Refusal, type RequestFacts } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import { consoleHome, type Home, homeOf, noHome, operatorHome } from './customer/home';
import { refusalPage } from './customer/refusal';
import { type OpenedLink } from './mailedLinks';

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
