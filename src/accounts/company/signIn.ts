import { type z } from 'zod';
import { authorizationUrl, getProfile } from '../../adapters/companyProviders';
import { type CompanyProfile, CompanyProviderError } from '../../adapters/companyProviders/provider';
import { transaction } from '../../adapters/postgres/connection';
import { baseUrl, platformClientId } from '../../adapters/settings';
import { type Caller } from '../../kit/auth';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { readBrowser, readCookie, sessionCookie, writeBrowser, writeCookie } from '../../kit/pages/session';
import { Account } from '../accounts.model';
import { getState } from '../merchants/states.model';
import { proveAtSignIn } from '../secondFactors/challenges';
import { enter } from '../signIn/authentication';
import {
  beginFlow,
  type Flow,
  isSecure,
  readFlow,
  type Step,
  takeFlow,
  topLevel,
  withAnswer,
  writeFlow,
} from '../signIn/browserFlows';
import { type CallbackQuery } from '../signIn/social.schemas';
import { endSessionsOfCompany } from '../tokens/tokens';
import { callbackOf, signInPage } from './addresses';
import { CompanyProvider, CompanySignIn, hasCompanySession } from './company.model';
import { type CompanySignInQuery } from './company.schemas';
import { challengeCookie, companyCookie, expiresAt } from './cookies';
import { findMember } from './members';
import { openSettings } from './providers';
import { CompanyRefusal, type CompanyReason, recordRefusal } from './refusals';

/**
 * Staff signs in with the OpenID provider of its company. Every outcome is a redirect, because the browser is on its way from
 * one site to another. A refused sign-in leads back to the sign-in page with its reason.
 */

type Query = z.output<typeof CompanySignInQuery>;

/** Redirects the browser to the provider of the company. */
export async function startCompanySignIn(merchantUuid: string, query: Query): Promise<Step> {
  const company = merchantUuid.toLowerCase();
  const { next = '/console', fresh: isFresh = false } = query;
  try {
    const { merchant, provider, settings } = await getProvider(company);
    const flow = beginFlow();
    const location = await authorizationUrl(settings, { ...flow, callback: callbackOf(company), isFresh });
    const { issuer, clientId } = provider;
    await CompanySignIn.create({ ...flow.row, merchantId: merchant.id, issuer, clientId, next, isFresh });
    return { location: location.href, cookies: [writeFlow(flow)] };
  } catch (error) {
    return { location: signInPage({ company, refused: reasonOf(error) }), cookies: [] };
  }
}

/** Completes the sign-in after the provider's redirect, in the browser that began it. */
export async function endCompanySignIn(
  merchantUuid: string,
  answer: z.output<typeof CallbackQuery>,
  request: RequestFacts,
): Promise<Step> {
  const company = merchantUuid.toLowerCase();
  const flow = readFlow(request, answer.state);
  const used = writeFlow({ state: answer.state });
  try {
    const { merchant, provider, settings } = await getProvider(company);
    const { next, isFresh } = await takeSignIn(provider, flow);
    const callback = withAnswer(callbackOf(company), answer);
    const profile = await getProfile(settings, { ...flow, callback, isFresh });
    const account = await refusing(merchant, request, () => findMember(provider, merchant, profile, request));
    const remembered = writeCookie(companyCookie, company, {
      ...topLevel,
      expiresAtSeconds: expiresAt.company(),
    });
    const step = await enterConsole(account, profile, { next, request });
    await refuseChanged(provider);
    return { ...step, cookies: [used, remembered, ...step.cookies] };
  } catch (error) {
    return { location: signInPage({ company, refused: reasonOf(error) }), cookies: [used] };
  }
}

/** The merchant's name, if its staff can sign in with its provider. */
export async function findCompany(
  merchantUuid: string | undefined,
): Promise<{ uuid: string; name: string } | undefined> {
  try {
    const { merchant } = await getProvider(merchantUuid ?? '');
    return { uuid: merchant.uuid, name: merchant.fullName };
  } catch (error) {
    if (error instanceof CompanyRefusal) return undefined;
    throw error;
  }
}

/** Whether the provider has opened the session of the caller, who may then have no password. */
export const isOfCompany = ({ sessionId, merchantId }: Caller) => hasCompanySession(sessionId, merchantId);

const uuidPattern = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

async function getProvider(merchantUuid: string) {
  const merchant = uuidPattern.test(merchantUuid)
    ? await Account.findOne({ where: { uuid: merchantUuid, role: 'merchant', isActive: true } })
    : undefined;
  const provider = merchant && (await CompanyProvider.findByPk(merchant.id));
  const settings = provider?.isActive ? openSettings(provider) : undefined;
  if (!merchant || !provider || !settings) throw new CompanyRefusal('provider_off');
  if ((await getState(merchant.id)).state === 'suspended') throw new CompanyRefusal('merchant_suspended');
  return { merchant, provider, settings };
}

/** The sign-in that this browser began. A provider that has changed since then cannot complete it. */
async function takeSignIn(provider: CompanyProvider, flow: Flow): Promise<CompanySignIn> {
  const { merchantId, issuer, clientId } = provider;
  const taken = await takeFlow(CompanySignIn, flow, { merchantId });
  if (!taken) throw new CompanyRefusal('not_begun_here');
  if (taken.issuer !== issuer || taken.clientId !== clientId) throw new CompanyRefusal('provider_off');
  return taken;
}

/** A change of the provider ends all sessions that the provider opened, except one that is opened at the same moment. */
async function refuseChanged({ merchantId, issuer, clientId }: CompanyProvider): Promise<void> {
  if ((await CompanyProvider.count({ where: { merchantId, issuer, clientId, isActive: true } })) > 0) return;
  await transaction((inTransaction) => endSessionsOfCompany(inTransaction, merchantId));
  throw new CompanyRefusal('provider_off');
}

const consoleCookie = sessionCookie({ kind: 'console' });

/**
 * Opens a session of the console. Its token is in a cookie only, which no script can read. A second factor that the provider
 * has checked counts. Otherwise, a member with a second factor enters its code on the next page.
 */
async function enterConsole(
  account: Account,
  { hasSecondFactor, signedInAt }: CompanyProfile,
  { next, request }: { next: string; request: RequestFacts },
): Promise<Step> {
  const browser = readBrowser(request.cookies, isSecure);
  const bearer = readCookie(request.cookies, consoleCookie, isSecure);
  const known = { ...request, browser: browser.name, bearer };
  const clientId = platformClientId;
  if (!hasSecondFactor) {
    const challenge = await findChallenge(account, request);
    if (challenge !== undefined) return askForCode(challenge, next);
  }
  const { access_token: token, expires } = await enter(account, clientId, {
    grantType: 'company',
    isFactorProven: hasSecondFactor,
    // Without a time from the provider, the confirmation does not count as recent.
    factorProvenAt: signedInAt ?? new Date(0),
    hasCompanyFactor: hasSecondFactor,
    ...(signedInAt && { passwordProvenAt: signedInAt }),
    request: known,
  });
  const session = writeCookie(consoleCookie, token, { ...topLevel, expiresAtSeconds: expires });
  return { location: `${baseUrl}${next}`, cookies: [session, writeBrowser(browser, topLevel)] };
}

async function findChallenge(account: Account, request: RequestFacts): Promise<string | undefined> {
  const step = { clientId: platformClientId, code: undefined, grantType: 'company' } as const;
  try {
    await proveAtSignIn(account, step, request);
    return undefined;
  } catch (error) {
    if (error instanceof AppError && error.code === 'second_factor_required') return error.details.challenge;
    throw error;
  }
}

/** The challenge is in a cookie, because addresses must not contain secrets. */
function askForCode(challenge: string, next: string): Step {
  const expiresAtSeconds = expiresAt.challenge();
  const cookie = writeCookie(challengeCookie, challenge, { ...topLevel, expiresAtSeconds });
  return { location: `${baseUrl}/console/sign-in/code?${new URLSearchParams({ next }).toString()}`, cookies: [cookie] };
}

async function refusing<T>(merchant: Account, request: RequestFacts, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CompanyRefusal) await recordRefusal(merchant, error, request);
    throw error;
  }
}

/** Rethrows an error that is no refusal. */
function reasonOf(error: unknown): CompanyReason {
  if (error instanceof CompanyRefusal) return error.reason;
  if (error instanceof CompanyProviderError) return error.fault;
  // The member lost its rights during the sign-in.
  if (error instanceof AppError && error.code === 'invalid_credentials') return 'not_invited';
  if (error instanceof AppError && error.code === 'merchant_suspended') return 'merchant_suspended';
  throw error;
}
