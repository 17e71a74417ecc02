import { randomUUID } from 'node:crypto';
import { type Chromium, describeInBrowser, startChromium, type Visitor } from '../../support/chromium';
import { consoleVisitor } from '../../support/consoleVisitor';
import { createItem, createMerchant, createShop, password, type Person, subscribe } from '../../support/factories';
import { createPayShop, paid } from '../../support/payments';
import { codeOf } from '../../support/secondFactors';
import { startApp, type TestApp } from '../../support/startApp';
import { createVoucher } from '../../support/vouchers';

let app: TestApp;
let merchant: Person;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
  merchant = await createMerchant(app);
});
afterAll(() => app.stop());

describeInBrowser('values with a button that copies them', () => {
  let chromium: Chromium;
  let visitor: Visitor;
  beforeAll(async () => {
    chromium = await startChromium({ hosts: `MAP console.test ${new URL(app.address).host}` });
  });
  afterAll(() => chromium.close());
  afterEach(() => visitor.context.close());

  const { enter, look, open } = consoleVisitor(
    () => app,
    () => visitor,
  );

  test('the secret of an app is copied by a press, and the page says so', async () => {
    visitor = await chromium.newVisitor();
    await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const { page } = visitor;
    await enter(merchant.email);
    await open('/console/settings/apps');
    await page.getByLabel('App name').fill(`Reader ${randomUUID()}`);
    await page.getByRole('button', { name: 'Create app' }).click();
    await page.getByRole('button', { name: 'Copy: Secret' }).click();
    await page.getByText('Copied').waitFor();
    const secret = await page.locator('.copyable code').last().innerText();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret);
    await look('console-app-secret');
  });

  test('the code that embeds an item is copied with its line break', async () => {
    visitor = await chromium.newVisitor();
    await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const { page } = visitor;
    await enter(merchant.email);
    const { id } = await createItem(app, merchant);
    await open(`/console/items/${id}`);
    await page.getByRole('button', { name: 'Copy: Embed code' }).click();
    await page.getByText('Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(
      /^<script src="http.*<\/script>\n<div data-.*><\/div>$/,
    );
    await look('console-item-copy');
  });

  test('the page says so for ten seconds after the last press', async () => {
    visitor = await chromium.newVisitor();
    await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const { page } = visitor;
    await enter(merchant.email);
    const { id } = await createItem(app, merchant);
    await page.clock.install();
    await open(`/console/items/${id}`);
    await page.clock.pauseAt(Date.now() + 3_600_000);
    for (let press = 1; press <= 2; press += 1) {
      await page.getByRole('button', { name: 'Copy: Embed code' }).click();
      await page.getByText('Copied').waitFor();
      await page.clock.fastForward(9_000);
      await page.getByText('Copied').waitFor();
    }
    await page.clock.fastForward(10_000);
    await page.getByText('Copied').waitFor({ state: 'hidden' });
  });

  test('recovery codes are copied, one on each line', async () => {
    visitor = await chromium.newVisitor();
    await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const { page } = visitor;
    const own = await createMerchant(app);
    await enter(own.email);
    await open('/console/security');
    const start = page.locator('form[action="/console/security/second-factor"]');
    await start.getByLabel('Password').fill(password);
    await start.getByRole('button').click();
    const secret = (await page.locator('.copyable code').innerText()).replaceAll(' ', '');
    await page.getByLabel('Code', { exact: true }).fill(codeOf(secret));
    await page.locator('form[action$="/confirm"]').getByRole('button').click();
    await page.getByRole('button', { name: 'Copy: Your recovery codes' }).click();
    await page.getByText('Copied').waitFor();
    const shown = await page.locator('#codes code').allInnerTexts();
    expect(shown).toHaveLength(10);
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(shown.join('\n'));
    await look('console-recovery-codes');
  });

  test('a row of a list copies its address, code or reference, and the name of the button contains it', async () => {
    visitor = await chromium.newVisitor();
    await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const { page } = visitor;
    const shop = await createPayShop(app);
    await paid(app, shop);
    await createVoucher(app, shop.merchant, { code: 'READER20', discount: 20 });
    const { rows } = await app.pool.query<{ token: string }>(
      'SELECT trx_token AS token FROM charges WHERE merchant_id = $1',
      [shop.merchant.id],
    );
    await enter(shop.merchant.email);
    for (const [list, value, name] of [
      ['customers', shop.consumer.email, shop.consumer.email],
      ['customers', String(shop.consumer.id), String(shop.consumer.id)],
      ['items', String(shop.item.id), String(shop.item.id)],
      ['vouchers', 'READER20', 'READER20'],
      ['transactions', rows[0]?.token ?? '', `Transaction ${rows[0]?.token}`],
    ] as const) {
      await open(`/console/${list}`);
      await page
        .getByRole('button', { name: `Copy: ${name}`, exact: true })
        .first()
        .click();
      await page.getByText('Copied').first().waitFor();
      expect([list, await page.evaluate('navigator.clipboard.readText()')]).toEqual([list, value]);
      await look(`console-copy-in-${list}`);
    }
  });

  test('the button in the first column of a list is at the height of the text beside it', async () => {
    visitor = await chromium.newVisitor();
    const shop = await createShop(app);
    await subscribe(app, shop);
    await enter(shop.merchant.email);
    await open('/console/subscriptions');
    const row = visitor.page.locator('main tbody tr').first().getByRole('rowheader');
    const middles = await Promise.all(
      [row.getByRole('link').first(), row.getByRole('button')].map(async (part) => {
        const box = await part.boundingBox();
        return box ? box.y + box.height / 2 : Number.NaN;
      }),
    );
    expect(Math.abs((middles[0] ?? 0) - (middles[1] ?? 0))).toBeLessThan(2);
  });

  test('without a clipboard or without scripts there is no button, and the value is there', async () => {
    const { id } = await createItem(app, merchant);
    for (const { address, hasScripts } of [
      { address: 'http://console.test', hasScripts: true },
      { address: app.address, hasScripts: false },
    ]) {
      visitor = await chromium.newVisitor({ hasScripts });
      const { page } = visitor;
      await page.goto(`${address}/console/sign-in`);
      await page.getByLabel('Email').fill(merchant.email);
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      await page.goto(`${address}/console/items/${id}`);
      expect(await page.locator('.copyable code').first().innerText()).toContain('/paywall/');
      expect(await page.getByRole('button', { name: /^Copy/ }).count()).toBe(0);
      if (hasScripts) await visitor.context.close();
    }
  });
});
