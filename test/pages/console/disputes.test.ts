import { type Chromium, describeInBrowser, startChromium, type Visitor } from '../../support/chromium';
import { consoleVisitor } from '../../support/consoleVisitor';
import { opened, subscribeInOwnShop } from '../../support/disputes';
import { startAccountsApp, type AccountsApp } from '../../support/paymentAccounts';

const phone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Mobile/15E148 Safari/604.1';

let app: AccountsApp;
let chromium: Chromium;

beforeAll(async () => {
  app = await startAccountsApp();
  await app.startWorker();
});

afterAll(() => app.stop());

describeInBrowser('disputes in the console', () => {
  let visitor: Visitor;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());
  afterEach(() => visitor.context.close());

  const { open, look, enter } = consoleVisitor(
    () => app,
    () => visitor,
  );

  test('a merchant responds to a dispute once, before its deadline', async () => {
    const { shop, account, tell } = await subscribeInOwnShop(app, { 'User-Agent': phone });
    const dispute = opened();
    await tell('charge.dispute.created', dispute);
    visitor = await chromium.newVisitor();
    const { page } = visitor;
    await enter(shop.merchant.email);
    await open('/console/transactions');
    await page.getByRole('link', { name: 'Disputes' }).click();
    await page.locator('tbody a').first().click();
    await page.getByRole('heading', { name: 'Dispute: €9.99' }).waitFor();
    await page.getByText('€15.00').waitFor();
    await page.getByText('Access log').click();
    await page.getByText('the customer signed in').waitFor();
    await page.getByText('Device of the purchase').waitFor();
    await look('console-dispute');
    const receipt = page.getByRole('link', { name: 'Download the receipt' });
    const [download] = await Promise.all([page.waitForEvent('download'), receipt.click()]);
    expect(download.suggestedFilename()).toMatch(/^receipt-.+\.pdf$/);

    await page.getByLabel('Your statement').fill('They watched the final.');
    await page.getByRole('button', { name: 'Submit evidence' }).click();
    await page.getByText('Under review').waitFor();
    expect(await page.getByLabel('Your statement').count()).toBe(0);
    expect(account.evidence.get(dispute.id)).toMatchObject({ uncategorized_text: 'They watched the final.' });
  });
});
