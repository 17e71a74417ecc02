import { describeInBrowser } from '../support/chromium';
import { call } from '../support/client';
import { createMerchant } from '../support/factories';
import { createOperator, insertRefused, insertWaiting, type Operator, putInState } from '../support/operators';
import { createRedirectShop } from '../support/redirects';
import { codeOf, forgetSteps } from '../support/secondFactors';
import { startApp, type TestApp } from '../support/startApp';
import { enterAs, languagesOf, type Photographer, startPhotographer } from './photographer';
import { operatorPlaces } from './places';

/**
 * `npm run screenshots`: the pages of operators, with merchants in each state and messages that were refused. No worker
 * runs.
 */

let app: TestApp;
let photographer: Photographer;
let operator: Operator;
let merchantId: number;
let waitingId: number;

describeInBrowser('the pages of operators', () => {
  beforeAll(async () => {
    app = await startApp();
    operator = await createOperator(app);
    photographer = await startPhotographer();
  });
  afterAll(async () => {
    await photographer.close();
    await app.stop();
  });

  test.each(languagesOf('staff'))('%s: without merchants and messages, and with them', (language) =>
    photographer.visit(language, async (page, keep) => {
      await page.goto(`${app.address}/operator/sign-in`);
      await keep('operator-sign-in');
      await forgetSteps(app, operator);
      await enterAs(page, `${app.address}/operator/sign-in`, operator.email);
      await page.locator('form[name=second-factor]').waitFor();
      await keep('operator-second-factor');
      await page.locator('input[name=second_factor_code]').fill(codeOf(operator.secret));
      await page.locator('form[name=second-factor] button[type=submit]').click();
      await page.locator('form[name=second-factor]').waitFor({ state: 'detached' });
      await page.goto(`${app.address}/operator/refused`);
      await keep('operator-refused-empty');
      await fill();
      for (const [name, place] of Object.entries(operatorPlaces)) {
        await page.goto(app.address + place.replace('{id}', String(merchantId)));
        await keep(name);
      }
      for (const name of ['approve', 'suspend']) {
        await page.goto(`${app.address}/operator/shops/${waitingId}`);
        await page.locator(`details:has(form[name=${name}]) > summary`).click();
        await keep(`operator-${name}`);
      }
      // The reason is missing.
      await page.locator('form[name=suspend] button[type=submit]').click();
      await page.getByRole('alert').waitFor();
      await keep('operator-suspend-refused');
      await app.pool.query("DELETE FROM outbox WHERE workflow_id LIKE 'subscription-%'");
    }),
  );

  test.each(languagesOf('customers'))('%s: the page before PayPal', (language) =>
    photographer.visit(language, async (page, keep) => {
      const { fee, consumer } = await createRedirectShop(app, 'payment');
      const order = { origin: 'https://shop.example.org/', access_fee: fee.id, payment_method: 'PayPal' };
      const { body } = await call<{ endpoint: string }>(app, 'POST', '/external-payments', order, consumer);
      await page.goto(app.address + new URL(body.endpoint).pathname);
      await keep('payment-external');
    }),
  );
});

async function fill(): Promise<void> {
  const merchants = [await createMerchant(app), await createMerchant(app), await createMerchant(app)] as const;
  await putInState(app, merchants[0], 'waiting');
  await putInState(app, merchants[1], 'suspended');
  merchantId = merchants[1].id;
  waitingId = merchants[0].id;
  await insertRefused(app);
  await insertRefused(app);
  await insertWaiting(app);
}
