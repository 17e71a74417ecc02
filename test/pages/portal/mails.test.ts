import { createShop, password, reaches, subscribe } from '../../support/factories';
import { receives } from '../../support/mailbox';
import { pathIn } from '../../support/mailedLinks';
import { PageWalker } from '../../support/pageWalker';
import { type TestApp, startApp } from '../../support/startApp';

/** The button of a mail leads to a page of the portal, after the reader has signed in. The links that need no sign-in have their own tests. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});
afterAll(() => app.stop());

test('receipt', async () => {
  const shop = await createShop(app);
  const { subscription_id: id } = (await subscribe(app, shop)).body;
  await reaches(app, shop.consumer, id, 'active');
  const path = pathIn(await receives(app, shop.merchant, shop.consumer.email, 'receipt'), '/portal/');
  const walker = new PageWalker(app);
  const turnedAway = await walker.open(path);
  const signIn = turnedAway.headers.get('location') ?? '';
  expect(signIn).toContain(`/portal/${shop.merchant.uuid}/sign-in?next=${encodeURIComponent(path)}`);
  const { next = '' } = Object.fromEntries(new URLSearchParams(signIn.split('?')[1]));
  await walker.open(signIn);
  const fields = { username: shop.consumer.email, password, next };
  const entered = await walker.submit(`/portal/${shop.merchant.uuid}/sign-in`, fields);
  expect(entered.headers.get('location')).toBe(path);
  const page = await walker.open(path);
  expect([page.status, page.text.includes('Receipts')]).toEqual([200, true]);
});
