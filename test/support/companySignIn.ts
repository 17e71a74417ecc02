import { Browser, type Page } from './browser';
import { call } from './client';
import { type Person } from './factories';
import { oidcClient, startOidcServer, type OidcServer } from './oidcServer';
import { startApp, type TestApp } from './startApp';

/** What the tests' environment calls the service. */
export const ownBaseUrl = 'http://paywall.test';

export const providerPath = '/v2/company-provider';

export interface CompanyWorld {
  app: TestApp;
  provider: OidcServer;
  openBrowser(): Browser;
  /** Connects the provider to a merchant. */
  connect(merchant: Person, fields?: Record<string, unknown>): Promise<void>;
  /** Until the browser is at a page of the console again. */
  signIn(merchant: Person, login: string, browser?: Browser): Promise<Page>;
  stop(): Promise<void>;
}

/** The API with the OpenID provider of a company. */
export async function startCompanyWorld(): Promise<CompanyWorld> {
  const provider = await startOidcServer(`${ownBaseUrl}/accounts/company/*/callback`);
  const app = await startApp({ WEBHOOK_ALLOW_PRIVATE: 'true' });
  const openBrowser = () =>
    new Browser({ served: { from: ownBaseUrl, at: app.address }, app: 'https://app.example.org/' });
  return {
    app,
    provider,
    openBrowser,
    connect: async (merchant, fields = {}) => {
      const sent = { issuer: provider.issuer, ...oidcClient, domains: ['example.org'], ...fields };
      const { status, body } = await call(app, 'PUT', providerPath, sent, merchant);
      if (status !== 200) throw new Error(`answered ${status}: ${JSON.stringify(body)}`);
    },
    signIn: async (merchant, login, browser = openBrowser()) => {
      const asked = await browser.visit(`${ownBaseUrl}/accounts/company/${merchant.uuid}`);
      if (asked.url.origin !== provider.issuer) return asked;
      const consent = await browser.submit(asked.url, { prompt: 'login', login, password: 'any' });
      if (consent.url.origin !== provider.issuer) return consent;
      return browser.submit(consent.url, { prompt: 'consent' });
    },
    stop: async () => {
      await app.stop();
      await provider.stop();
    },
  };
}

/** The reason with which the sign-in page was shown. */
export const refusalOf = ({ url }: Page) => url.searchParams.get('refused');

/** The answer of the provider to the last sign-in of a browser: the address to which it redirected. */
export const answerIn = ({ visited }: Browser) => visited.findLast((address) => address.includes('/callback?')) ?? '';
