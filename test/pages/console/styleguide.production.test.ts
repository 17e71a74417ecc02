import type * as settings from '../../../src/adapters/settings';
import { createMerchant } from '../../support/factories';
import { enterConsole } from '../../support/pageWalker';
import { startApp, type TestApp } from '../../support/startApp';

/** Pages see the environment `production`. The service runs as `test`, because `production` refuses registrations. */
jest.doMock('../../../src/adapters/settings', () => ({
  ...jest.requireActual<typeof settings>('../../../src/adapters/settings'),
  environmentName: 'production',
}));

let app: TestApp;
beforeAll(async () => (app = await startApp({ CARD_PROVIDER: 'none', BASE_URL: '' })));
afterAll(() => app.stop());

test('404: the style guide does not exist in production', async () => {
  const walker = await enterConsole(app, (await createMerchant(app)).email);
  for (const path of ['/console/styleguide', '/console/styleguide/data']) {
    const { status, text } = await walker.open(path);
    expect([status, text.includes('Page not found')]).toEqual([404, true]);
  }
  expect((await walker.submit('/console/styleguide')).status).toBe(404);
});
