import ar from '../../../src/pages/locales/ar.json';
import en from '../../../src/pages/locales/en.json';
import {
  type Chromium,
  describeInBrowser,
  faultsOf,
  startChromium,
  untilShown,
  type Visitor,
} from '../../support/chromium';
import { reaches } from '../../support/factories';
import { owedByDebit, owedRenewal, type OwedRenewal } from '../../support/owedRenewal';
import { showPictures } from '../../support/paywall';
import { startApp, type TestApp } from '../../support/startApp';

/** The link of the mail about a failed renewal, in a browser without a session. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

describeInBrowser('in a browser', () => {
  let chromium: Chromium;
  let visitor: Visitor;
  beforeAll(async () => (chromium = await startChromium()));
  afterAll(() => chromium.close());
  afterEach(() => visitor.context.close());

  const look = async (name: string) => expect([name, await faultsOf(visitor, name)]).toEqual([name, []]);

  describe.each(['en', 'ar'] as const)('%s', (language) => {
    const { links } = { en, ar }[language];

    async function follow({ path }: OwedRenewal) {
      visitor = await chromium.newVisitor({ language: language === 'en' ? 'en-GB' : 'ar' });
      const { page } = visitor;
      await showPictures(page);
      // The form leads to the address of the service.
      await page.route('http://paywall.test/**', (route) => {
        const location = route.request().url().replace('http://paywall.test', app.address);
        return route.fulfill({ status: 302, headers: { location } });
      });
      await page.goto(`${app.address}${path}`);
      await page.getByRole('heading', { name: links.pay }).waitFor();
      return page;
    }

    test('a payer pays with the saved card, and the subscription continues', async () => {
      const owed = await owedRenewal(app);
      const page = await follow(owed);
      await look(`payment-link-${language}`);
      await page.locator('form[method=post] button').click();
      await untilShown(page, page.getByRole('heading', { name: links.paymentPaid }));
      await look(`payment-link-paid-${language}`);
      await reaches(app, owed.shop.consumer, owed.id, 'active');
    });

    test('a bank account is debited, and the page says that the bank decides', async () => {
      const page = await follow(await owedByDebit(app));
      await look(`payment-link-debit-${language}`);
      await page.locator('form[method=post] button').click();
      await untilShown(page, page.getByRole('heading', { name: links.paymentReturn }));
      await look(`payment-link-debited-${language}`);
    });
  });
});
