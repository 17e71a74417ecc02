import { createHash, randomBytes } from 'node:crypto';
import { type z } from 'zod';
import { now } from '../../adapters/clock';
import { hashPassword } from '../../adapters/passwords';
import { transaction, violatedConstraint, type Transaction } from '../../adapters/postgres/connection';
import { baseUrl } from '../../adapters/settings';
import { socialProviders } from '../../adapters/socialProviders';
import { SocialRefusal, type SocialProfile, type SocialProvider } from '../../adapters/socialProviders/provider';
import { requireFeature } from '../../features/service';
import { AppError } from '../../kit/errors';
import { formEmail, normalizeEmail } from '../../kit/form';
import { mailToken } from '../mailedTokens/service';
import { Account } from '../model';
import { getClientOfRedirect, type Client } from '../oauthApps/service';
import { insertConsumer } from '../service';
import { endSessions, openSession } from '../tokens/service';
import { SocialIdentity, SocialSignIn } from './model';
import { presentLinks, presentRefused, presentSignedIn } from './presenter';
import { type CallbackQuery, type SocialQuery } from './schemas';

type App = z.output<typeof SocialQuery>['state'];

const minutesToSignIn = 10;
const path = '/accounts/social';

/** A redirect, and the cookie that goes with it. */
export interface Step {
  location: string;
  cookie: string;
}

/** The links lead to us first, so that they need no provider to answer and nothing is stored before somebody follows one. */
export async function listSocialLinks(app: App) {
  await getOpenClient(app.client_id, app.redirect);
  const state = Buffer.from(JSON.stringify(app)).toString('base64url');
  return presentLinks(
    socialProviders.map(({ name }) => ({ provider: name, url: `${baseUrl}${path}/${name}?state=${state}` })),
  );
}

/** Sends a browser to the provider. The secret that PKCE asks for stays with the browser, so that no other can end this. */
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

/** The provider has sent the browser back: whatever came of it, the app hears of it in the fragment. */
export async function endSocialSignIn(
  providerName: string,
  answer: z.output<typeof CallbackQuery>,
  cookies: string | undefined,
): Promise<Step> {
  const provider = getProvider(providerName);
  const verifier = findCookie(cookies, cookieName(answer.state));
  const { clientId, redirect } = await takeSignIn(provider, answer.state, verifier);
  const client = await getOpenClient(clientId, redirect);
  const cookie = cookieOf(answer.state, '', 0);
  try {
    const callback = withAnswer(callbackOf(provider), answer);
    const profile = await provider.getProfile({ callback, state: answer.state, verifier: verifier ?? '' });
    const account = await findOrCreateAccount(client, provider.name, profile);
    const tokens = await openSession(account, clientId, { grantType: 'social' });
    return { location: presentSignedIn(redirect, tokens), cookie };
  } catch (error) {
    if (!(error instanceof SocialRefusal)) throw error;
    return { location: presentRefused(redirect, error.reason), cookie };
  }
}

/** Only its app tells the merchant, who may have turned this off. */
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

/** A state serves once, in the browser that it was given to. */
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

/** Two first sign-ins at once: the second finds what the first has written. */
async function findOrCreateAccount(client: Client, provider: string, profile: SocialProfile): Promise<Account> {
  const passwordHash = await unusablePassword();
  const resolve = () =>
    transaction((inTransaction) => resolveAccount(inTransaction, client, { ...profile, provider, passwordHash }));
  const account = await resolve().catch((error: unknown) => {
    if (violatedConstraint(error) === undefined) throw error;
    return resolve();
  });
  if (!account.isActive) throw new SocialRefusal('access_denied');
  return account;
}

type Newcomer = SocialProfile & { provider: string; passwordHash: string };

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
  // Whoever could claim an address without proof would take over the account of its owner.
  if (namesake && !newcomer.emailIsVerified) throw new SocialRefusal('account_exists');
  const account = namesake ?? (await createConsumer(inTransaction, client, { ...newcomer, email: email.data }));
  if (!newcomer.emailIsVerified) await mailToken(inTransaction, account, 'activation');
  else if (account.activatedAt === null) await takePossession(inTransaction, account, newcomer.passwordHash);
  await SocialIdentity.create({ merchantId, provider, subject, accountId: account.id }, { transaction: inTransaction });
  const socialAppsMetadata = [...account.socialAppsMetadata, { name: provider }];
  return account.update({ socialAppsMetadata }, { transaction: inTransaction });
}

function createConsumer(inTransaction: Transaction, client: Client, newcomer: Newcomer & { email: string }) {
  const name = (newcomer.name ?? '').toWellFormed().replaceAll('\0', '').trim().slice(0, 250);
  return insertConsumer(
    { full_name: name === '' ? newcomer.email : name, username: newcomer.email },
    newcomer.passwordHash,
    client,
    inTransaction,
  );
}

/**
 * The owner of an address comes to an account that nobody has proved to be theirs: it may have been made in their name,
 * to be shared later. Its password, its sessions and its other identities end; a new password is one mail away.
 */
async function takePossession(inTransaction: Transaction, account: Account, passwordHash: string): Promise<void> {
  await SocialIdentity.destroy({ where: { accountId: account.id }, transaction: inTransaction });
  await endSessions(inTransaction, { accountId: account.id });
  const possession = { activatedAt: now(), passwordHash, socialAppsMetadata: [], updatedAt: now() };
  await account.update(possession, { transaction: inTransaction });
}

let unusable: Promise<string> | undefined;

/** Nobody knows the password: the account signs in at its provider until it asks for one. */
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

/** Under a name of its own, so that two tabs do not take each other's. */
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
