import { type z } from 'zod';
import { type AccountResponse } from '../../src/accounts/accounts.schemas';
import { Browser, type Page } from './browser';
import { call } from './client';
import { createMerchant, type Person } from './factories';
import { oidcClient, startOidcServer, type OidcServer } from './oidcServer';
import { startApp, type TestApp } from './startApp';

type Account = z.output<typeof AccountResponse>;
type Links = { code: number; social_urls: Record<string, string>[] };

/** What the tests' environment calls the API. */
export const socialBaseUrl = 'http://paywall.test';
export const appRedirect = 'https://app.example.org/signed-in?from=social';

/** A merchant whose app may sign in at providers. */
export async function createSite(app: TestApp): Promise<Person> {
  const merchant = await createMerchant(app);
  const text = 'UPDATE oauth_apps SET redirect_uris = $2 WHERE client_id = $1';
  await app.pool.query(text, [merchant.uuid, [appRedirect]]);
  return merchant;
}

/** For a query without encoding, as some apps send it. */
export const stateOf = (state: unknown, encoding: BufferEncoding = 'base64') =>
  Buffer.from(JSON.stringify(state)).toString(encoding);

export const listLinks = (app: TestApp, state: unknown, encoding?: BufferEncoding) =>
  call<Links>(app, 'GET', `/accounts/social?state=${stateOf(state, encoding)}`);

export async function linkOf(app: TestApp, merchant: Person, provider: string): Promise<string> {
  const { body } = await listLinks(app, { client_id: merchant.uuid, redirect: appRedirect });
  return body.social_urls.find((link) => provider in link)?.[provider] ?? '';
}

/** Follows a link to ourselves one step. */
export const follow = (app: TestApp, link: string, headers: Record<string, string> = {}) =>
  call(app, 'GET', link.replace(socialBaseUrl, ''), undefined, { headers });

export const accountOf = (app: TestApp, token: string | undefined) =>
  call<Account>(app, 'GET', '/accounts', undefined, { token: token ?? '' });

/** The values behind the `#`. */
export const membersOf = (url: URL) => Object.fromEntries(new URLSearchParams(url.hash.slice(1)));

export interface SocialWorld {
  app: TestApp;
  provider: OidcServer;
  openBrowser(): Browser;
  /** Until the provider redirects the browser back. The redirect is not followed. */
  signInAtProvider(browser: Browser, merchant: Person, login: string): Promise<Page>;
  /** The result of a sign-in that the app receives. */
  signIn(merchant: Person, login: string): Promise<Record<string, string>>;
  stop(): Promise<void>;
}

/** The API with a provider of OpenID Connect, `acme`. */
export async function startSocialWorld(): Promise<SocialWorld> {
  const provider = await startOidcServer(`${socialBaseUrl}/accounts/social/acme/callback`);
  const app = await startApp({
    SOCIAL_PROVIDERS: JSON.stringify([{ name: 'acme', issuer: provider.issuer, ...oidcClient }]),
  });
  const openBrowser = () =>
    new Browser({ served: { from: socialBaseUrl, at: app.address }, app: 'https://app.example.org/' });
  const signInAtProvider = async (browser: Browser, merchant: Person, login: string) => {
    const asked = await browser.visit(await linkOf(app, merchant, 'acme'));
    if (asked.url.origin !== provider.issuer) return asked;
    const consent = await browser.submit(asked.url, { prompt: 'login', login, password: 'any' });
    if (consent.url.origin !== provider.issuer) return consent;
    return browser.submit(consent.url, { prompt: 'consent' });
  };
  return {
    app,
    provider,
    openBrowser,
    signInAtProvider,
    signIn: async (merchant, login) => {
      const { url } = await signInAtProvider(openBrowser(), merchant, login);
      expect(url.href.startsWith(`${appRedirect}#`)).toBe(true);
      return membersOf(url);
    },
    stop: async () => {
      await app.stop();
      await provider.stop();
    },
  };
}
