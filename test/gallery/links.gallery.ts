import { describeInBrowser } from '../support/chromium';
import { askForChange, createActiveConsumer } from '../support/emailChanges';
import { createConsumer, createFee, createItem, createMerchant, password } from '../support/factories';
import { canceledPlan, planWithoutCard } from '../support/mailLinks';
import {
  createActivationLink,
  createExportLink,
  createNewPasswordLink,
  createRejectionLink,
} from '../support/mailedLinks';
import { owedRenewal } from '../support/owedRenewal';
import { subscribeWithAuthentication } from '../support/payer';
import { createBrandedMerchant } from '../support/paywall';
import { createSchedule, questionTokenOf, stopTokenOf } from '../support/reportSchedules';
import { startApp, type TestApp } from '../support/startApp';
import { waitingRenewal } from '../support/waitingRenewal';
import { languagesOf, type Photographer, startPhotographer } from './photographer';
import { type linkPlaces } from './places';
import { brand } from './scene';

/** `npm run screenshots`: the pages behind links in mails, the pages of payments, and what a lost visitor sees. */

/** `operator.gallery.ts` takes the page before PayPal, which is there only while no worker runs. */
type PictureName = Exclude<keyof typeof linkPlaces, 'payment-external'>;

let app: TestApp;
let photographer: Photographer;
let paths: Record<PictureName, string>;

describeInBrowser('the pages behind links', () => {
  beforeAll(async () => {
    app = await startApp();
    await app.startWorker();
    paths = { ...(await accountLinks()), ...(await moneyLinks()), ...(await paymentPages()) };
    photographer = await startPhotographer();
  });
  afterAll(async () => {
    await photographer.close();
    await app.stop();
  });

  describe.each(languagesOf('customers'))('%s', (language) => {
    test('every link', () =>
      photographer.visit(language, async (page, keep) => {
        for (const name of Object.keys(paths) as PictureName[]) {
          await page.goto(app.address + paths[name]);
          await keep(name);
        }
      }));

    test('what a press leads to', () =>
      photographer.visit(language, async (page, keep) => {
        const merchant = await createBrandedMerchant(app, brand);
        const { path } = await createActivationLink(app, merchant);
        await page.goto(app.address + path);
        await page.locator('#field-password').fill(password);
        await page.locator('form button').first().click();
        await page.locator('#field-password').waitFor({ state: 'detached' });
        await keep('link-activated');
        await page.goto(app.address + path);
        await keep('link-expired');
        await page.goto(app.address + (await canceledPlan(app)).path);
        await page.locator('form button').first().click();
        await page.locator('form').waitFor({ state: 'detached' });
        await keep('link-kept');
        await page.goto(app.address + (await createRejectionLink(app, merchant)).path);
        await page.locator('form button').first().click();
        await page.locator('#field-password').waitFor();
        await keep('link-second-factor-removed');
      }));

    test('pages that do not exist', () =>
      photographer.visit(language, async (page, keep) => {
        const merchant = await createBrandedMerchant(app, brand);
        const lost = {
          'error-address': '/portal',
          'error-portal': `/portal/${merchant.uuid}/nowhere`,
          'error-paywall': `/paywall/${merchant.uuid}/1`,
          'error-link': '/accounts/activate/0123456789',
          'error-console': '/console/nowhere',
        };
        for (const [name, path] of Object.entries(lost)) {
          await page.goto(app.address + path);
          await keep(name);
        }
      }));
  });
});

async function accountLinks() {
  const merchant = await createBrandedMerchant(app, brand);
  const change = await askForChange(app, await createActiveConsumer(app, merchant));
  const owner = await createMerchant(app);
  const recipient = 'stranger@example.com';
  const { id } = (await createSchedule(app, owner, { recipients: [recipient] })).body;
  return {
    'link-activation': (await createActivationLink(app, merchant)).path,
    'link-new-password': (await createNewPasswordLink(app, merchant)).path,
    'link-export': (await createExportLink(app)).path,
    'link-second-factor': (await createRejectionLink(app, merchant)).path,
    'link-email': `/accounts/email/${change.confirm}`,
    'link-email-stop': `/accounts/email/stop/${change.stop}`,
    'link-report-confirmation': `/reporting/confirm/${await questionTokenOf(app, owner, recipient)}`,
    'link-report-stop': `/reporting/stop/${await stopTokenOf(app, id, recipient)}`,
  };
}

async function moneyLinks() {
  return {
    'link-card': (await planWithoutCard(app)).path,
    'link-payment': (await owedRenewal(app)).path,
    'link-confirmation': (await waitingRenewal(app)).path,
    'link-keep': (await canceledPlan(app)).path,
  };
}

async function paymentPages() {
  const merchant = await createBrandedMerchant(app, brand);
  const consumer = await createConsumer(app, merchant);
  const item = await createItem(app, merchant, { title: 'The Paywall Weekly' });
  const shop = { merchant, consumer, item, fee: await createFee(app, merchant, item.id) };
  const { pi, redirectTo } = await subscribeWithAuthentication(app, shop);
  return {
    'payment-return': `/payments/return?payment_intent=${pi}`,
    'payment-bank': new URL(redirectTo).pathname,
  };
}
