import { existsSync } from 'node:fs';
import { chromium, type Browser, type Page } from 'playwright-core';
import { z } from 'zod';
import { sandboxCards } from '../scripts/paymentSimulator/testCards';
import { type Setting } from './parts';
import { median, percentile, type Line } from './table';
import { timed } from './timed';

const warmUps = 3;
const purchases = 20;
/** The card of a provider that takes 300 ms for each charge. */
const slowCard = sandboxCards.find(({ outcome }) => outcome === 'slow')?.number ?? '';

/** Measures the time from a click on Pay until the content is visible, in a browser without a reload. */
export async function measureCheckout({ product, tell }: Setting): Promise<Line[]> {
  const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
  if (!existsSync(executablePath)) throw new Error('Install Chromium, or set CHROMIUM to its path.');
  const shop = await openShop(product.apiPort);
  // The pages have the address of BASE_URL, which only this browser can resolve.
  const rules = `--host-resolver-rules=MAP bench.test:80 127.0.0.1:${product.apiPort}`;
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', rules] });
  try {
    tell(`${purchases} purchases in the paywall, each by a new visitor`);
    const tookMs: number[] = [];
    for (let n = 0; n < warmUps + purchases; n += 1) tookMs.push(await buy(browser, shop, n));
    const measured = tookMs.slice(warmUps);
    const line = (what: string, product: number): Line => ({ what, unit: 'ms', product });
    return [
      { ...line('Pay until the content is visible, median', median(measured)), aim: { atMost: 1_500 } },
      line('Pay until the content is visible, p90', percentile(measured, 90)),
    ];
  } finally {
    await browser.close();
  }
}

interface Shop {
  merchantUuid: string;
  itemId: number;
}

/** A merchant with an item and a monthly fee, by the API, so that its pages are complete. */
async function openShop(apiPort: number): Promise<Shop> {
  const password = 'correct-horse-battery';
  const account = { full_name: 'Bench', username: 'shop@bench.test', password, password_confirmation: password };
  const register = { ...account, type: 'merchant', client_id: 'platform' };
  const created = Registered.parse(await send(apiPort, '/accounts', register));
  const token = created.access_token;
  const fields = { item_type: 'html_asset', title: 'Item', content: '<p>Content.</p>' };
  const { id: itemId } = Created.parse(await send(apiPort, '/v2/items', fields, token));
  const length = { access_type: 'subscription', quantity: '1', period: 'month' };
  const fee = { ...length, amount: '9.99', currency: 'EUR', description: 'Monthly' };
  await send(apiPort, `/v2/items/${itemId}/access-fees`, fee, token);
  return { merchantUuid: created.account.uuid, itemId };
}

const Registered = z.object({ access_token: z.string(), account: z.object({ uuid: z.string() }) });
const Created = z.object({ id: z.int() });

async function send(port: number, path: string, fields: Record<string, string>, token?: string): Promise<unknown> {
  const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  const request = { method: 'POST', headers, body: new URLSearchParams(fields) };
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, request);
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

async function buy(browser: Browser, { merchantUuid, itemId }: Shop, n: number): Promise<number> {
  const context = await browser.newContext({ locale: 'en-GB' });
  try {
    const page = await context.newPage();
    await page.goto(`http://bench.test/paywall/${merchantUuid}/${itemId}`);
    await page.getByRole('link', { name: 'Get access' }).click();
    await fill(page, { full_name: 'Ana', username: `checkout-${n}@bench.test`, password: 'correct-horse-battery' });
    await page.locator('form[name=register] button[type=submit]').click();
    await fill(page, { number: slowCard, card_name: 'Ana', exp_month: '12', exp_year: '2040', cvv: '123' });
    return await timed(async () => {
      await page.locator('form[name=checkout] button[value=pay]').click();
      await page.frameLocator('iframe.content-frame').getByText('Content.').waitFor();
    });
  } finally {
    await context.close();
  }
}

async function fill(page: Page, fields: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(fields)) await page.locator(`#field-${name}`).fill(value);
}
