import { call } from '../../support/client';
import { createConsumer, createMerchant } from '../../support/factories';
import { isSignedIn, signInAgain } from '../../support/sessions';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

test('200: all sessions end but the one that asks', async () => {
  const here = await createConsumer(app, await createMerchant(app));
  const others = [await signInAgain(app, here), await signInAgain(app, here)];
  expect((await call(app, 'DELETE', '/accounts/sessions', undefined, here)).status).toBe(200);
  expect(await isSignedIn(app, here)).toBe(true);
  for (const other of others) expect(await isSignedIn(app, other)).toBe(false);
});
