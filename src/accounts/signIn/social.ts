import { unusablePassword } from '../../adapters/passwords';
import { type z } from 'zod';
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
import { readBrowser, readCookie, sessionCookie, writeBrowser, writeCookie } from '../../kit/pages/session';
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
} from './browserFlows';
import { mailToken } from './mailedTokens';
import { Account } from '../accounts.model';
import { type Client } from '../../oauthApps/clients';
import { getClientOfRedirect, isOwnPage, readRedirect, unregistered } from '../../oauthApps/redirects';
import { insertConsumer, isTakenEmail, publishCustomer } from '../accounts';
import { rememberLanguage } from '../languages';
import { openSession } from '../tokens/tokens';
import { takePossession } from './possession';
import { type IssuedTokens } from '../tokens/tokens.schemas';
import { SocialIdentity, SocialSignIn } from './social.model';
import { presentLinks, presentRefused, presentRefusedOnPage, presentSignedIn } from './social.presenter';
import { type CallbackQuery, type SocialQuery } from './social.schemas';

type App = z.output<typeof SocialQuery>['state'];

const path = '/accounts/social';

/**
 * Lists links to our own server, so that the list needs no provider and nothing is stored before a visitor opens one.
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

/** Redirects the browser to the provider. */
export async function startSocialSignIn(providerName: string, app: App): Promise<Step> {
  const provider = getProvider(providerName);
  await getOpenClient(app.client_id, app.redirect);
  const flow = beginFlow();
  const location = await provider.authorizationUrl({ ...flow, callback: callbackOf(provider) });
  await SocialSignIn.create({
    ...flow.row,
    provider: provider.name,
    clientId: app.client_id.toLowerCase(),
    redirect: app.redirect,
  });
  return { location: location.href, cookies: [writeFlow(flow)] };
}

/**
 * Completes the sign-in after the provider's redirect, in the browser that started it. An app receives the result in
 * the fragment. A page of ours receives the session as a cookie. If it took a token from its address, a link could sign
 * the visitor in as another person.
 */
export async function endSocialSignIn(
  providerName: string,
  answer: z.output<typeof CallbackQuery>,
  request: RequestFacts,
): Promise<Step> {
  const provider = getProvider(providerName);
  const flow = readFlow(request, answer.state);
  const { clientId, redirect } = await takeSignIn(provider, flow);
  const client = await getOpenClient(clientId, redirect);
  const used = writeFlow({ state: answer.state });
  const browser = readBrowser(request.cookies, isSecure);
  try {
    const callback = withAnswer(callbackOf(provider), answer);
    const profile = await provider.getProfile({ ...flow, callback });
    const account = await findOrCreateAccount(client, provider.name, {
      ...profile,
      language: requestLanguage(request),
    });
    await rememberLanguage(account, request);
    const replaced = isOwnPage(redirect) ? readSession(client.merchantUuid, request) : undefined;
    const signedIn = { ...request, browser: browser.name, bearer: replaced };
    const tokens = await enter(account, clientId, signedIn);
    const cookies = [used, writeBrowser(browser, topLevel)];
    return isOwnPage(redirect)
      ? { location: redirect, cookies: [...cookies, writeSession(client.merchantUuid, tokens)] }
      : { location: presentSignedIn(redirect, tokens), cookies };
  } catch (error) {
    if (!(error instanceof SocialRefusal)) throw error;
    const present = isOwnPage(redirect) ? presentRefusedOnPage : presentRefused;
    return { location: present(redirect, error.reason), cookies: [used] };
  }
}

/**
 * An account with a second factor signs in with its password and a code, because no provider has checked the code. A proof of
 * the mailbox at the same time can remove the identity. It changes the password, so the hash shows it.
 */
async function enter(account: Account, clientId: string, request: RequestFacts): Promise<IssuedTokens> {
  const { passwordHash } = account;
  try {
    return await openSession(account, clientId, { grantType: 'social', passwordHash, request });
  } catch (error) {
    if (error instanceof AppError && error.code === 'second_factor_required') throw new SocialRefusal(error.code);
    if (error instanceof AppError && error.code === 'invalid_credentials') throw new SocialRefusal('access_denied');
    throw error;
  }
}

/** The client of the app, whose merchant may have turned social sign-in off. */
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

async function takeSignIn(provider: SocialProvider, flow: Flow) {
  const taken = await takeFlow(SocialSignIn, flow, { provider: provider.name });
  if (!taken)
    throw new AppError('invalid_input', {
      errors: { state: 'The sign-in is not known in this browser, has expired, or has ended already.' },
    });
  return taken;
}

/** If two first sign-ins run concurrently, the second finds the account of the first. */
async function findOrCreateAccount(client: Client, provider: string, profile: Visitor): Promise<Account> {
  const passwordHash = unusablePassword();
  const resolve = () =>
    transaction((inTransaction) => resolveAccount(inTransaction, client, { ...profile, provider, passwordHash }));
  const account = await resolve().catch((error: unknown) => {
    if (!isTakenEmail(error) && violatedConstraint(error) === undefined) throw error;
    return resolve().catch(refusingHeldAddress);
  });
  if (!account.isActive) throw new SocialRefusal('access_denied');
  return account;
}

/** Refuses an address that no account has while its former account can take it back (`skip_held_address`). */
function refusingHeldAddress(error: unknown): never {
  throw isTakenEmail(error) ? new SocialRefusal('account_exists') : error;
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
  else if (account.activatedAt === null) await takePossession(inTransaction, account, newcomer);
  const isProven = newcomer.emailIsVerified === true;
  const identity = { merchantId, provider, subject, accountId: account.id, isProven };
  await SocialIdentity.create(identity, { transaction: inTransaction });
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

function callbackOf(provider: SocialProvider): URL {
  return new URL(`${baseUrl}${path}/${provider.name}/callback`);
}

const cookieOf = (merchantUuid: string) => sessionCookie({ kind: 'customer', merchantUuid });

/** The cookie of the paywall and the portal, which no script and no address contains. */
function writeSession(merchantUuid: string, { accessToken, expiresAtSeconds }: IssuedTokens): string {
  return writeCookie(cookieOf(merchantUuid), accessToken, { ...topLevel, expiresAtSeconds });
}

/** The token in this cookie. */
function readSession(merchantUuid: string, { cookies }: RequestFacts): string | undefined {
  return readCookie(cookies, cookieOf(merchantUuid), isSecure);
}
