import { type Page } from 'playwright-core';
import { describeInBrowser } from '../support/chromium';
import { createConsumer, password, type Person } from '../support/factories';
import { startPairing } from '../support/pairings';
import { codeOf, forgetSteps } from '../support/secondFactors';
import { startApp, type TestApp } from '../support/startApp';
import { languagesOf, type Photographer, startPhotographer } from './photographer';
import { portalPlaces } from './places';
import { createReading, type Reading } from './scene';

/** `npm run screenshots`: the portal of a reader who has much, and of one who has nothing yet. */

let app: TestApp;
let photographer: Photographer;

const portalOf = ({ merchantUuid }: Person) => `${app.address}/portal/${merchantUuid}`;

async function enter(page: Page, person: Person): Promise<void> {
  await page.goto(`${portalOf(person)}/sign-in`);
  await page.locator('#field-username').fill(person.email);
  await page.locator('#field-password').fill(password);
  await page.locator('form[name=sign-in] button[type=submit]').click();
}

describeInBrowser('the portal', () => {
  beforeAll(async () => {
    app = await startApp();
    await app.startWorker();
    photographer = await startPhotographer();
  });
  afterAll(async () => {
    await photographer.close();
    await app.stop();
  });

  describe.each(languagesOf('customers'))('%s', (language) => {
    // Each language has a reader of its own, because the pictures of changes change the reader.
    let reading: Reading;
    beforeAll(async () => (reading = await createReading(app)));

    test('the way in', () =>
      photographer.visit(language, async (page, keep) => {
        for (const place of ['sign-in', 'register', 'forgotten', 'sign-in-link', 'sign-in/0123456789']) {
          await page.goto(`${portalOf(reading.shop.consumer)}/${place}`);
          await keep(`portal-entry-${place.replace(/\/.*/, '-by-link')}`);
        }
      }));

    test('every page', () =>
      photographer.visit(language, async (page, keep) => {
        const { consumer } = reading.shop;
        await enter(page, consumer);
        await page.locator('.portal-menu').waitFor();
        for (const [name, place] of Object.entries(portalPlaces)) {
          await page.goto(portalOf(consumer) + place.replace('{id}', reading.active));
          await keep(name);
        }
        await page.goto(`${portalOf(consumer)}/subscriptions/${reading.pastDue}`);
        await keep('portal-past-due');
        const { body } = await startPairing(app, consumer.merchantUuid, { device_name: 'Living room' });
        await page.goto(`${portalOf(consumer)}/tv?code=${body.user_code}`);
        await keep('portal-television-code');
      }));

    test('a subscription is switched, and canceled', () =>
      photographer.visit(language, async (page, keep) => {
        const { consumer } = reading.shop;
        const own = `${portalOf(consumer)}/subscriptions/${reading.active}`;
        await enter(page, consumer);
        await page.locator('.portal-menu').waitFor();
        await page.goto(`${own}/switch`);
        await page.locator('input[type=radio]').last().check();
        await page.locator('form[name=plans] button[type=submit]').click();
        await page.locator('form[name=switch] button[type=submit]').first().waitFor();
        await keep('portal-switch-preview');
        await page.goto(own);
        await page.locator('details:has(form[name=cancel]) > summary').click();
        await keep('portal-cancel');
        await page.locator('form[name=cancel] button[type=submit]').click();
        await page.locator('form[name=keep]').waitFor();
        await keep('portal-cancel-offer');
        await page.locator('form[name=cancel] button[type=submit]').click();
        await page.locator('form[name=resume]').waitFor({ state: 'attached' });
        await keep('portal-canceled');
      }));

    test('a reader without purchases, who sets a second factor up and signs in with it', () =>
      photographer.visit(language, async (page, keep) => {
        const consumer = await createConsumer(app, reading.shop.merchant);
        await enter(page, consumer);
        await page.locator('.portal-menu').waitFor();
        for (const place of ['', '/purchases', '/receipts', '/card', '/gifts']) {
          await page.goto(portalOf(consumer) + place);
          await keep(`portal-empty${place.replace('/', '-')}`);
        }
        await page.goto(`${portalOf(consumer)}/security`);
        await page.locator('form[name=start-factor] input[name=password]').fill(password);
        await page.locator('form[name=start-factor] button').click();
        await page.locator('svg.qr').waitFor();
        await keep('portal-factor-set-up');
        const secret = (await page.locator('code[dir=ltr]').innerText()).replaceAll(' ', '');
        await page.locator('form[name=confirm-factor] input[name=code]').fill(codeOf(secret));
        await page.locator('form[name=confirm-factor] button').click();
        await page.locator('ol.codes').waitFor();
        await keep('portal-factor-codes');
        await forgetSteps(app, consumer);
        await page.context().clearCookies();
        await enter(page, consumer);
        await page.locator('form[name=second-factor]').waitFor();
        await keep('portal-second-factor');
      }));
  });
});
