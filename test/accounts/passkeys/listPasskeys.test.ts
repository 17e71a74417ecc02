import { createConsumer, createMerchant } from '../../support/factories';
import { addPasskey, listPasskeys } from '../../support/passkeys';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

test('200: the own passkeys, the first made first', async () => {
  const merchant = await createMerchant(app);
  await addPasskey(app, await createConsumer(app, merchant));
  expect(await listPasskeys(app, merchant)).toEqual([]);
  const made = [await addPasskey(app, merchant), await addPasskey(app, merchant)];
  expect((await listPasskeys(app, merchant)).map(({ id }) => id)).toEqual(made.map(({ id }) => id));
});
