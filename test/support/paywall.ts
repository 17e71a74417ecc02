import { type BrowserContext, type FrameLocator, type Page } from 'playwright-core';
import { pressInFrame, type Visitor } from './chromium';
import { call } from './client';
import { createMerchant, type Person, type Shop } from './factories';
import { type TestApp } from './startApp';

/** The steps of a buyer at the paywall, by the texts of the page. */

export const paywallOf = (app: Pick<TestApp, 'address'>, { merchant, item }: Pick<Shop, 'merchant' | 'item'>) =>
  `${app.address}/paywall/${merchant.uuid}/${item.id}`;

export interface NewAccount {
  email: string;
  password: string;
}

let accounts = 0;

function newAddress(): string {
  accounts += 1;
  return `buyer-${Date.now()}-${accounts}@example.org`;
}

/** By the keyboard, because the page may be in a frame. */
export async function registerAt(
  page: Page | FrameLocator,
  language: 'en' | 'ar' = 'en',
  email = newAddress(),
): Promise<NewAccount> {
  const account = { email, password: 'correct-horse-battery' };
  await pressInFrame(page.getByRole('link', { name: language === 'en' ? 'Get access' : 'احصل على الوصول' }));
  await page.locator('#field-full_name').fill('Ana Petrova');
  await page.locator('#field-username').fill(account.email);
  await page.locator('#field-password').fill(account.password);
  await page.locator('#field-password').press('Enter');
  return account;
}

export async function typeCard(page: Page, number: string): Promise<void> {
  await page.locator('#field-number').fill(number);
  await page.locator('#field-card_name').fill('Ana Petrova');
  await page.locator('#field-exp_month').fill('12');
  await page.locator('#field-exp_year').fill('2040');
  await page.locator('#field-cvv').fill('123');
}

export const pay = (page: Page) => page.locator('form[name=checkout] button[value=pay]').click();

/**
 * Pays by the keyboard, below the provider's form: after a scroll, Chromium may send a click on the button to the frame that
 * was at its place before.
 */
export const payBelowForm = (page: Page) =>
  page.locator('form[name=checkout] button[value=pay]:enabled').press('Enter');

/** No news reaches the page: neither by its socket nor from the other tabs. It shows what it showed. */
export async function isolate(page: Page): Promise<void> {
  await page.routeWebSocket(/./, () => undefined);
  await page.addInitScript('window.BroadcastChannel = class { postMessage() {} }');
}

/** The heading of the step that the page is at. */
export const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name });

export const contentOf = ({ page }: Visitor) => page.frameLocator('iframe.content-frame');

/** A merchant with a brand of its own. `showPictures` serves its pictures. */
export async function createBrandedMerchant(
  app: Pick<TestApp, 'address'>,
  changes: Record<string, unknown> = {},
): Promise<Person> {
  const merchant = await createMerchant(app);
  const brand = {
    brand_name: 'Daily Kick',
    paywall_cover_photo: 'https://cdn.example/cover.jpg',
    paywall_brand_logo: 'https://cdn.example/logo.png',
    paywall_primary_color: '#7c2d12',
    paywall_secondary_color: '#444444',
    paywall_buttons_bg_color: '#7c2d12',
    paywall_buttons_text_color: '#ffffff',
    preview_top_border: true,
    service_protected_label: true,
    paywall_footer: '<p>Daily Kick, Skopje</p>',
    default: true,
    ...changes,
  };
  await call(app, 'POST', '/branding/paywall', brand, merchant);
  return merchant;
}

/** `where`: one page, or every page of a visitor. */
export async function showPictures(where: Page | BrowserContext): Promise<void> {
  await where.route('https://cdn.example/**', (route) =>
    route.fulfill({ contentType: 'image/svg+xml', body: route.request().url().includes('logo') ? logo : cover }),
  );
}

const cover =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 300"><rect width="800" height="300" fill="#14532d"/><circle cx="400" cy="150" r="90" fill="none" stroke="#fff" stroke-width="6"/><path d="M400 0v300" stroke="#fff" stroke-width="6"/></svg>';
const logo =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 180 40"><text x="0" y="29" font-family="sans-serif" font-size="28" font-weight="700" fill="#fff">Daily Kick</text></svg>';
