import { type Page } from 'playwright-core';
import { clickAway } from './chromium';
import { cards } from './factories';

/** The payment form of the sandbox in a browser. */

/** The settings of a service whose pages show the form. */
export const sandboxFormSettings = () => ({ SANDBOX_FORM_BASE: process.env['TEST_PAYMENT_SIMULATOR'] ?? '' });

const formOf = (page: Page) => page.frameLocator('[data-payment-form] iframe');

/** Types a card in the frame of the form. */
export async function typeCard(
  page: Page,
  number: string = cards.success,
  language: 'en' | 'ar' = 'en',
): Promise<void> {
  const form = formOf(page);
  await form.locator('[name=number]').fill(number);
  await form.locator('[name=expiry]').fill('12/40');
  await form.getByLabel(language === 'ar' ? 'رمز الأمان' : 'Security code').fill('123');
}

export const chooseWallet = (page: Page) => formOf(page).locator('[value=wallet]').check();

export const chooseLink = (page: Page) => formOf(page).locator('[value=link]').check();

const walletButton = (page: Page, answer: 'confirm' | 'close') =>
  formOf(page).locator(`#sheet button[value=${answer}]`);

/** Waits for the sheet of the wallet or of Link. */
export const seesWallet = (page: Page) => walletButton(page, 'confirm').waitFor();

/** Answers in the sheet of the wallet or of Link. */
export async function answerWallet(page: Page, answer: 'confirm' | 'close'): Promise<void> {
  await seesWallet(page);
  await clickAway(walletButton(page, answer));
}

type BankAnswer = 'approved' | 'refused' | 'closed';

const bankButton = (page: Page, answer: BankAnswer) =>
  page.frameLocator('body > iframe').locator(`button[value=${answer}]`);

/** Waits for the question of the bank. */
export const seesBank = (page: Page) => bankButton(page, 'approved').waitFor();

/** Answers the question of the bank, which then disappears. */
export const answerBank = (page: Page, answer: BankAnswer): Promise<void> => clickAway(bankButton(page, answer));
