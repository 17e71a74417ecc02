import { createBrand, defaultsOf, readBrand } from '../support/branding';
import { createMerchant, type Person } from '../support/factories';
import { createApp } from '../support/oauthApps';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;
let merchant: Person;

beforeAll(async () => {
  app = await startApp();
});

beforeEach(async () => {
  merchant = await createMerchant(app);
});

afterAll(() => app.stop());

test('200: a brand of the merchant, for anyone', async () => {
  const id = await createBrand({ app, merchant });
  const { status, body } = await readBrand(app, merchant.uuid, id);
  expect({ status, body }).toMatchObject({ status: 200, body: { id, exists: true, brand_name: 'The Cup Channel' } });
});

test('200: an OAuth app id means its merchant', async () => {
  const id = await createBrand({ app, merchant });
  const { client_id } = await createApp(app, merchant);
  expect((await readBrand(app, client_id, id)).body).toMatchObject({ id, exists: true });
});

test.each(['0', 'undefined', 'null', '-1', '1.5'])('200: %s asks for no theme: the default one', async (id) => {
  const [first] = await defaultsOf(app, merchant);
  const { status, body } = await readBrand(app, merchant.uuid, id);
  expect({ status, body }).toMatchObject({ status: 200, body: { id: first, exists: true, default: true } });
});

test('200: the id of another merchant’s brand, or of none, shows the own default one, and that it is not that', async () => {
  const [first] = await defaultsOf(app, merchant);
  const theirs = await createBrand({ app, merchant: await createMerchant(app) });
  for (const id of [theirs, 2_000_000_000]) {
    const { status, body } = await readBrand(app, merchant.uuid, id);
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { id: first, exists: false, brand_name: 'Ana Petrova', default: true },
    });
  }
});

test('404 account_not_found: no merchant and no app has that id', async () => {
  expect(await readBrand(app, 'nobody', 1)).toMatchObject({ status: 404, body: { error: 'account_not_found' } });
});
