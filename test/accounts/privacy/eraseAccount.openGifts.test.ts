import { createConsumer } from '../../support/factories';
import { createPayShop, pay } from '../../support/payments';
import { erase } from '../../support/privacy';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

// No worker runs, so no payment has an outcome.
beforeAll(async () => void (app = await startApp()));
afterAll(() => app.stop());

test('200: gifts that are not paid yet stop neither the erasure of their receivers nor a purchase for oneself', async () => {
  const shop = await createPayShop(app);
  const receivers = [await createConsumer(app, shop.merchant), await createConsumer(app, shop.merchant)];
  const tokens = new Set<string>();
  for (const { email } of receivers) {
    const { body } = await pay(app, shop, undefined, { is_gift: true, receiver_email: email });
    tokens.add(body.transaction);
  }
  for (const receiver of receivers) await erase(app, receiver);
  const own = await pay(app, shop);
  expect(own).toMatchObject({ status: 200, body: { status: 'incomplete' } });
  tokens.add(own.body.transaction);
  expect(tokens.size).toBe(3);
  const repeated = await pay(app, shop);
  expect(repeated.body.transaction).toBe(own.body.transaction);
});
