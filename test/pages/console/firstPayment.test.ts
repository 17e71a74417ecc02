import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Locator, type Page } from 'playwright-core';
import { type Chromium, describeInBrowser, startChromium, type Visitor } from '../../support/chromium';
import { password } from '../../support/factories';
import { createAccount, startAccountsApp, type AccountsApp } from '../../support/paymentAccounts';
import { serveStripeForm, typeInForm } from '../../support/stripeForm';

/**
 * The first payment of a fresh installation, by a person with a browser alone: docs/stripe.md names what each step needs of
 * the person, and this test counts it.
 */

let app: AccountsApp;

beforeAll(async () => {
  app = await startAccountsApp({ CARD_PROVIDER: 'none', BASE_URL: '' });
  await app.startWorker();
});
afterAll(() => app.stop());

interface Effort {
  clicks: number;
  fields: number;
}

/** The table of the guide: a step in each row, with its clicks and its fields. */
function readGuide(): Record<string, Effort> {
  const guide = readFileSync(join(__dirname, '../../../docs/stripe.md'), 'utf8');
  const [, section = ''] = guide.split('## The first payment of a new installation');
  const rows = section.matchAll(/^\| ([A-Z][^|]+) \| (\d+) \| (\d+) \|/gm);
  return Object.fromEntries(
    [...rows].map(([, step = '', clicks, fields]) => [step, { clicks: Number(clicks), fields: Number(fields) }]),
  );
}

/** Counts what a person does for each step of the guide. Links and buttons lead from page to page. */
function createCounter() {
  const effort: Record<string, Effort> = {};
  let current: Effort = { clicks: 0, fields: 0 };
  return {
    effort,
    begin: (step: string): void => {
      current = { clicks: 0, fields: 0 };
      effort[step] = current;
    },
    click: async (element: Locator) => {
      current.clicks += 1;
      await element.first().click();
    },
    fill: async (field: Locator, value: string) => {
      current.fields += 1;
      await field.first().fill(value);
    },
    /** The form of Stripe has a number, an expiry date and a code. The form of the stand-in has the number. */
    fillCard: async (page: Page) => {
      current.fields += 3;
      await typeInForm(page);
    },
  };
}

describeInBrowser('a fresh installation', () => {
  let chromium: Chromium;
  const visitors: Visitor[] = [];
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());
  afterEach(() => Promise.all(visitors.map(({ context }) => context.close())));

  async function newPage(): Promise<Page> {
    const visitor = await chromium.newVisitor();
    visitors.push(visitor);
    await serveStripeForm(visitor.context, app.stripe);
    return visitor.page;
  }

  test('takes its first payment after the steps of the guide, which counts each click and each field', async () => {
    const { effort, begin, click, fill, fillCard } = createCounter();
    const account = createAccount(app);
    const page = await newPage();
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    const link = (name: string) => page.getByRole('link', { name, exact: true });
    const label = (name: string) => page.locator('main').getByLabel(name);

    begin('Register the merchant');
    await page.goto(`${app.address}/console`);
    await click(link('Create account'));
    await fill(label('Company or full name'), 'Daily Kick');
    await fill(label('Email'), `merchant-${randomUUID()}@example.org`);
    await fill(label('Password'), password);
    await click(button('Create account'));
    await page.getByText('You cannot sell yet.').waitFor();

    begin('Connect the Stripe account');
    await click(link('Open payment settings'));
    await fill(label('Publishable key'), account.publishableKey);
    await fill(label('Secret key'), account.secretKey);
    await click(button('Test and save'));
    await page.getByText(account.id).first().waitFor();
    await click(button('Test'));
    await page.getByText(account.id).first().waitFor();

    begin('Add an item');
    await click(link('Overview'));
    await click(link('Add an item to protect'));
    await fill(label('Title'), 'Cup final');
    await fill(label('Content'), '<p>3:2 after extra time</p>');
    await click(button('Add item'));
    await page.getByRole('heading', { name: 'Cup final' }).waitFor();

    begin('Set a price');
    await click(link('Add fee'));
    await fill(label('Description'), 'Monthly pass');
    await fill(label('Amount'), '9.99');
    await fill(label('Currency'), 'EUR');
    await click(button('Add fee'));
    await link('Monthly pass').waitFor();
    const paywall = (await link('Open paywall').getAttribute('href')) ?? '';

    const shop = await newPage();
    begin('Buy it in another browser');
    await shop.goto(new URL(paywall, app.address).href);
    await click(shop.getByRole('link', { name: 'Get access' }));
    await fill(shop.locator('#field-full_name'), 'Ana Petrova');
    await fill(shop.locator('#field-username'), `buyer-${randomUUID()}@example.org`);
    await fill(shop.locator('#field-password'), password);
    await click(shop.locator('form[name=register] button[type=submit]'));
    await shop.frameLocator('[data-payment-form] iframe').getByLabel('Card number').waitFor();
    await fillCard(shop);
    await click(shop.locator('form[name=checkout] button[value=pay]'));
    await shop.frameLocator('iframe.content-frame').getByText('3:2 after extra time').waitFor();
    expect([...account.intents.values()]).toMatchObject([{ amount: 999, currency: 'eur', status: 'succeeded' }]);

    begin('See the sale');
    await click(link('Overview'));
    await page.getByText('€9.99').first().waitFor();
    expect(effort).toEqual(readGuide());
  });
});
