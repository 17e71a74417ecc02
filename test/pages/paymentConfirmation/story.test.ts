import { type Chromium, describeInBrowser, faultsOf, startChromium } from '../../support/chromium';
import { reaches } from '../../support/factories';
import { showPictures } from '../../support/paywall';
import { startApp, type TestApp } from '../../support/startApp';
import { waitingRenewal } from '../../support/waitingRenewal';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

describeInBrowser('in a browser', () => {
  let chromium: Chromium;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());

  test.each([
    ['en-GB', 'Confirm payment of €9.99', 'Approve'],
    ['ar', 'تأكيد دفع', 'موافقة'],
  ])(
    '%s: a payer confirms a renewal from the mail, and the subscription continues',
    async (language, confirm, approve) => {
      const { shop, id, path } = await waitingRenewal(app);
      const visitor = await chromium.newVisitor({ language });
      const { page } = visitor;
      const look = async (name: string) => expect([name, await faultsOf(visitor, name)]).toEqual([name, []]);
      await showPictures(page);
      await page.route('http://paywall.test/**', (route) => {
        const location = route.request().url().replace('http://paywall.test', app.address);
        return route.fulfill({ status: 302, headers: { location } });
      });
      await page.goto(`${app.address}${path}`);
      await look(`payment-confirmation-${language}`);
      await page.getByRole('button', { name: confirm }).click();
      await page.getByRole('button', { name: approve }).click();
      await reaches(app, shop.consumer, id, 'active');
      await page.goto(`${app.address}${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await look(`payment-confirmed-${language}`);
      expect(await page.locator('form').count()).toBe(0);
      await visitor.context.close();
    },
  );
});
