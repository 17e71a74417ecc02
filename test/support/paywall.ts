import { type Page } from 'playwright-core';
import { type Visitor } from './chromium';
import { type Shop } from './factories';
import { type TestApp } from './startApp';

/** What a buyer does at the paywall, step by step, as a person would: by what the page says. */

export const paywallOf = (app: Pick<TestApp, 'address'>, { merchant, item }: Pick<Shop, 'merchant' | 'item'>) =>
  `${app.address}/paywall/${merchant.uuid}/${item.id}`;

export interface NewAccount {
  email: string;
  password: string;
}

let accounts = 0;

export async function registerAt(page: Page, language: 'en' | 'ar' = 'en'): Promise<NewAccount> {
  accounts += 1;
  const account = { email: `buyer-${Date.now()}-${accounts}@example.org`, password: 'correct-horse-battery' };
  await page.getByRole('link', { name: language === 'en' ? 'Get access' : 'احصل على الوصول' }).click();
  await page.locator('#field-full_name').fill('Ana Petrova');
  await page.locator('#field-username').fill(account.email);
  await page.locator('#field-password').fill(account.password);
  await page.locator('form[name=register] button[type=submit]').click();
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

/** The heading of the step that the page is at. */
export const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name });

export const contentOf = ({ page }: Visitor) => page.frameLocator('iframe.content-frame');
