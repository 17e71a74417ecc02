import {
  type Chromium,
  describeInBrowser,
  faultsOf,
  startChromium,
  untilShown,
  type Visitor,
} from '../../support/chromium';
import { cards, reaches } from '../../support/factories';
import { canceledPlan, planWithoutCard } from '../../support/mailLinks';
import { showPictures, typeCard } from '../../support/paywall';
import { startApp, type TestApp } from '../../support/startApp';

/** Links of mails in a browser that has no session: another card, and the end of a cancellation. */

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

  async function visit(path: string, language: string) {
    visitor = await chromium.newVisitor({ language });
    await showPictures(visitor.page);
    await visitor.page.goto(`${app.address}${path}`);
    return visitor.page;
  }

  const look = async (name: string) => expect([name, await faultsOf(visitor, name)]).toEqual([name, []]);

  test.each([
    ['en-GB', 'Save card'],
    ['ar', 'حفظ البطاقة'],
  ])('%s: a customer enters another card after a wrong one, and the subscription continues', async (language, save) => {
    const { shop, id, path } = await planWithoutCard(app);
    const page = await visit(path, language);
    await look(`card-link-${language}`);
    await typeCard(page, cards.declined);
    await page.getByRole('button', { name: save }).click();
    await page.getByRole('alert').first().waitFor();
    await look(`card-link-declined-${language}`);
    await typeCard(page, cards.success);
    await page.getByRole('button', { name: save }).click();
    await page.locator('main:not(:has(form))').waitFor();
    await look(`card-link-done-${language}`);
    await reaches(app, shop.consumer, id, 'active');
  });

  test.each([
    ['en-GB', 'Keep subscription'],
    ['ar', 'الاحتفاظ بالاشتراك'],
  ])('%s: a customer takes the cancellation back', async (language, keep) => {
    const { path } = await canceledPlan(app);
    const page = await visit(path, language);
    await look(`keep-link-${language}`);
    await page.getByRole('button', { name: keep }).click();
    await untilShown(page, page.locator('main:not(:has(form))'));
    await look(`keep-link-done-${language}`);
  });
});
