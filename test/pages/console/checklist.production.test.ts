import type * as settings from '../../../src/adapters/settings';
import { checklistOf } from '../../support/checklist';
import { createMerchant, createShop } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

/** Pages see the environment `production`. The service runs as `test`, because `production` refuses registrations. */
jest.doMock('../../../src/adapters/settings', () => ({
  ...jest.requireActual<typeof settings>('../../../src/adapters/settings'),
  environmentName: 'production',
}));

let app: TestApp;
beforeAll(async () => (app = await startApp({ CARD_PROVIDER: 'none', BASE_URL: '' })));
afterAll(() => app.stop());

test('200: a merchant first connects its payment account', async () => {
  const { steps, progress } = await checklistOf(app, (await createMerchant(app)).email);
  expect(steps[0]).toEqual(['Connect your payment account', '/console/settings/payments']);
  expect(progress).toBe('0 of 6 done');
});

test('200: the first sale is a real one, so the step leads to the page with the paywall’s link', async () => {
  const shop = await createShop(app);
  const { steps } = await checklistOf(app, shop.merchant.email);
  expect(steps.at(-1)).toEqual(['Make the first sale', `/console/items/${shop.item.id}`]);
});
