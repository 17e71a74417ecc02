import { createHash, randomBytes } from 'node:crypto';
import { type z } from 'zod';
import { now } from '../../adapters/clock';
import { hashPassword } from '../../adapters/passwords';
import { transaction, violatedConstraint, type Transaction } from '../../adapters/postgres/connection';
import { baseUrl } from '../../adapters/settings';
import { socialProviders } from '../../adapters/socialProviders';
import { SocialRefusal, type SocialProfile, type SocialProvider } from '../../adapters/socialProviders/provider';
import { requireFeature } from '../../features/features';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { formEmail, normalizeEmail } from '../../kit/form';
import { type Language } from '../../kit/languages';
import { requestLanguage } from '../../kit/pages/languages';
import { mailToken } from './mailedTokens';
import { Account } from '../accounts.model';
import { type Client } from '../../oauthApps/clients';
import { getClientOfRedirect, readRedirect, unregistered } from '../../oauthApps/redirects';
import { insertConsumer, isTakenEmail, publishCustomer } from '../accounts';
import { rememberLanguage } from '../languages';
import { endSessions, openSession } from '../tokens/tokens';
import { SocialIdentity, SocialSignIn } from './social.model';
import { presentLinks, presentRefused, presentSignedIn } from './social.presenter';
import { type CallbackQuery, type SocialQuery } from './social.schemas';

type App = z.output<typeof SocialQuery>['state'];

const minutesToSignIn = 10;
const path = '/accounts/social';

/** A redirect with its cookie. */
export interface Step {
  location: string;
  cookie: string;
}

/**
 * Lists links to our own server, so that listing needs no provider and nothing is stored before a visitor follows one.
 * An app whose address is not registered gets the list with an explanation, because apps show no button without a list.
 * Its links are refused.
 */
export async function listSocialLinks(app: App) {
  const { merchantId, isRegistered } = await readRedirect(app.client_id, app.redirect);
  await requireFeature(merchantId, 'social_login');
  const state = Buffer.from(JSON.stringify(app)).toString('base64url');
  const links = socialProviders.map(({ name }) => ({
    provider: name,
    url: `${baseUrl}${path}/${name}?state=${state}`,
  }));
  return presentLinks(links, isRegistered ? undefined : unregistered);
}

/**
 * Redirects the browser to the provider. The PKCE verifier stays in the browser's cookie, so that no other browser can
 * complete the sign-in.
 */
export async function startSocialSignIn(providerName: string, app: App): Promise<Step> {
  const provider = getProvider(providerName);
  await getOpenClient(app.client_id, app.redirect);
  const flow = { callback: callbackOf(provider), state: randomToken(), verifier: randomToken() };
  const location = await provider.authorizationUrl(flow);
  await SocialSignIn.create({
    stateHash: hashOf(flow.state),
    verifierHash: hashOf(flow.verifier),
    provider: provider.name,
    clientId: app.client_id.toLowerCase(),
    redirect: app.redirect,
    expiresAt: new Date(Date.now() + minutesToSignIn * 60_000),
  });
  return { location: location.href, cookie: cookieOf(flow.state, flow.verifier, minutesToSignIn * 60) };
}

/** Completes the sign-in after the provider's redirect. The app gets the result or the error in the fragment. */
export async function endSocialSignIn(
  providerName: string,
  answer: z.output<typeof CallbackQuery>,
  request: RequestFacts,
): Promise<Step> {
  const provider = getProvider(providerName);
  const verifier = findCookie(request.cookies, cookieName(answer.state));
  const { clientId, redirect } = await takeSignIn(provider, answer.state, verifier);
  const client = await getOpenClient(clientId, redirect);
  const cookie = cookieOf(answer.state, '', 0);
  try {
    const callback = withAnswer(callbackOf(provider), answer);
    const profile = await provider.getProfile({ callback, state: answer.state, verifier: verifier ?? '' });
    const account = await findOrCreateAccount(client, provider.name, {
      ...profile,
      language: requestLanguage(request),
    });
    await rememberLanguage(account, request);
    const tokens = await openSession(account, clientId, { grantType: 'social' });
    return { location: presentSignedIn(redirect, tokens), cookie };
  } catch (error) {
    if (!(error instanceof SocialRefusal)) throw error;
    return { location: presentRefused(redirect, error.reason), cookie };
  }
}

/** Only the app names the merchant, which may have turned social sign-in off. */
async function getOpenClient(clientId: string, redirect: string): Promise<Client> {
  const client = await getClientOfRedirect(clientId, redirect);
  await requireFeature(client.merchantId, 'social_login');
  return client;
}

function getProvider(name: string): SocialProvider {
  const provider = socialProviders.find((known) => known.name === name);
  if (!provider) throw new AppError('social_provider_not_found');
  return provider;
}

/** A state can be used once, in the browser that it was issued to. */
async function takeSignIn(provider: SocialProvider, state: string, verifier: string | undefined) {
  const where = { stateHash: hashOf(state), verifierHash: hashOf(verifier ?? ''), provider: provider.name };
  const taken = await transaction(async (inTransaction) => {
    const found = await SocialSignIn.findOne({ where, transaction: inTransaction, lock: inTransaction.LOCK.UPDATE });
    await found?.destroy({ transaction: inTransaction });
    return found;
  });
  if (!taken || taken.expiresAt < new Date())
    throw new AppError('invalid_input', {
      errors: { state: 'The sign-in is not known in this browser, has expired, or has ended already.' },
    });
  return taken;
}

/** If two first sign-ins run concurrently, the second finds the account of the first. */
async function findOrCreateAccount(client: Client, provider: string, profile: Visitor): Promise<Account> {
  const passwordHash = await unusablePassword();
  const resolve = () =>
    transaction((inTransaction) => resolveAccount(inTransaction, client, { ...profile, provider, passwordHash }));
  const account = await resolve().catch((error: unknown) => {
    if (!isTakenEmail(error) && violatedConstraint(error) === undefined) throw error;
    return resolve();
  });
  if (!account.isActive) throw new SocialRefusal('access_denied');
  return account;
}

type Visitor = SocialProfile & { language: Language | undefined };
type Newcomer = Visitor & { provider: string; passwordHash: string };

async function resolveAccount(inTransaction: Transaction, client: Client, newcomer: Newcomer): Promise<Account> {
  const { merchantId } = client;
  const { provider, subject } = newcomer;
  const known = await SocialIdentity.findOne({ where: { merchantId, provider, subject }, transaction: inTransaction });
  if (known) return Account.findByPk(known.accountId, { transaction: inTransaction, rejectOnEmpty: true });
  const email = formEmail().safeParse(newcomer.email);
  if (!email.success) throw new SocialRefusal('email_required');
  const namesake = await Account.findOne({
    where: { merchantId, emailNormalized: normalizeEmail(email.data), role: 'consumer' },
    transaction: inTransaction,
    lock: inTransaction.LOCK.UPDATE,
  });
  // An unverified address must not give access to an existing account of that address.
  if (namesake && !newcomer.emailIsVerified) throw new SocialRefusal('account_exists');
  const account = namesake ?? (await createConsumer(inTransaction, client, { ...newcomer, email: email.data }));
  if (!newcomer.emailIsVerified) await mailToken(inTransaction, account, 'activation');
  else if (account.activatedAt === null) await takePossession(inTransaction, account, newcomer.passwordHash);
  await SocialIdentity.create({ merchantId, provider, subject, accountId: account.id }, { transaction: inTransaction });
  const socialAppsMetadata = [...account.socialAppsMetadata, { name: provider }];
  await account.update({ socialAppsMetadata }, { transaction: inTransaction });
  if (!namesake) await publishCustomer(inTransaction, account, 'customer.registered');
  return account;
}

function createConsumer(inTransaction: Transaction, client: Client, newcomer: Newcomer & { email: string }) {
  const name = (newcomer.name ?? '').toWellFormed().replaceAll('\0', '').trim().slice(0, 250);
  return insertConsumer(
    { full_name: name === '' ? newcomer.email : name, username: newcomer.email, language: newcomer.language },
    newcomer.passwordHash,
    client,
    inTransaction,
  );
}

/**
 * The verified owner of an address takes over an account whose address was never verified. Somebody else may have
 * created it. So its password, sessions and other identities end; the owner can set a new password by mail.
 */
async function takePossession(inTransaction: Transaction, account: Account, passwordHash: string): Promise<void> {
  await SocialIdentity.destroy({ where: { accountId: account.id }, transaction: inTransaction });
  await endSessions(inTransaction, { accountId: account.id });
  const possession = { activatedAt: now(), passwordHash, socialAppsMetadata: [], updatedAt: now() };
  await account.update(possession, { transaction: inTransaction });
}

let unusable: Promise<string> | undefined;

/** The hash of a random password. The account signs in at its provider until its owner requests a password by mail. */
function unusablePassword(): Promise<string> {
  unusable ??= hashPassword(randomToken());
  return unusable;
}

function callbackOf(provider: SocialProvider): URL {
  return new URL(`${baseUrl}${path}/${provider.name}/callback`);
}

function withAnswer(callback: URL, answer: z.output<typeof CallbackQuery>): URL {
  for (const [name, value] of Object.entries(answer)) callback.searchParams.set(name, String(value));
  return callback;
}

/** The cookie's name contains the state, so that two tabs do not overwrite each other's cookie. */
function cookieName(state: string): string {
  return `paywall_social_${hashOf(state).toString('hex').slice(0, 16)}`;
}

function cookieOf(state: string, value: string, seconds: number): string {
  const { protocol, pathname } = new URL(`${baseUrl}${path}`);
  const secure = protocol === 'https:' ? '; Secure' : '';
  return `${cookieName(state)}=${value}; Path=${pathname}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
}

function findCookie(cookies: string | undefined, name: string): string | undefined {
  const pairs = (cookies ?? '').split(';').map((pair) => pair.trim().split('='));
  return pairs.find(([known]) => known === name)?.[1];
}

function randomToken(): string {
  return randomBytes(32).toString('base64url');
}

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
