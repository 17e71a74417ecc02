import { pages } from '../../src/endpoints';
import { type Page } from '../../src/kit/pages/page';
import { signedInAt } from '../support/checkout';
import { createShop, type Shop } from '../support/factories';
import { enterConsole, PageWalker } from '../support/pageWalker';
import { startApp, type TestApp } from '../support/startApp';

/** Addresses that name nothing, as typed by a person or from an old link. */

let app: TestApp;
let shop: Shop;
let walkers: Record<Page['area'], PageWalker>;

beforeAll(async () => {
  app = await startApp();
  shop = await createShop(app);
  walkers = {
    console: await enterConsole(app, shop.merchant.email),
    customer: await signedInAt(app, shop),
    operator: new PageWalker(app),
  };
});

afterAll(() => app.stop());

const named = pages
  .flatMap((folder) => Object.entries(folder))
  .filter(([, { method, path }]) => method === 'get' && path.replace('{merchant_uuid}', '').includes('{'));

const values = ['new', '0', '-1', '1.5', '2147483648', '9007199254740993', 'x'.repeat(300), "'", '%25', 'NaN'];

test.each(named)('no 5xx: %s, at an address that names nothing', async (_name, { path, area }) => {
  const faults: unknown[] = [];
  for (const value of values) {
    const address = path
      .replace('{merchant_uuid}', shop.merchant.uuid)
      .replaceAll(/\{\w+\}/g, encodeURIComponent(value));
    const { status } = await walkers[area].open(address);
    if (status >= 500) faults.push([address, status]);
  }
  expect(faults).toEqual([]);
});
