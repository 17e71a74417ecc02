import { type RequestFacts } from '../../kit/endpoint';
import { readCookie } from '../../kit/pages/session';
import { isSecure } from '../signIn/browserFlows';

/** The company with which a person last signed in in this browser, for the sign-in page. */
export const companyCookie = 'company';
/** The challenge of a sign-in that waits for a code. */
export const challengeCookie = 'company_challenge';

const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;

/** Unix seconds. */
export const expiresAt = { company: () => inSeconds(400 * 86_400), challenge: () => inSeconds(300) };

export const rememberedCompany = ({ cookies }: Pick<RequestFacts, 'cookies'>) =>
  readCookie(cookies, companyCookie, isSecure);

export const waitingChallenge = ({ cookies }: Pick<RequestFacts, 'cookies'>) =>
  readCookie(cookies, challengeCookie, isSecure);
