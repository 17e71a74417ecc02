import { createConsumer } from '../../support/factories';
import { createPayShop, pay, settles } from '../../support/payments';
import { erase } from '../../support/privacy';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

// No worker runs at first, so no payment has an outcome.
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

test('200: a gift that is paid after the erasure of its receiver is mailed to no address', async () => {
  const shop = await createPayShop(app);
  const receiver = await createConsumer(app, shop.merchant);
  const { body } = await pay(app, shop, undefined, { is_gift: true, receiver_email: receiver.email });
  await erase(app, receiver);
  await app.startWorker();
  await settles(app, body.transaction, 'paid');
  const { rows } = await app.pool.query(
    `SELECT g.state, g.mail_id, (SELECT count(*)::int FROM mails WHERE merchant_id = $1 AND recipient = '') AS mails
     FROM gift_vouchers g WHERE g.payment_token = $2`,
    [shop.merchant.id, body.transaction],
  );
  expect(rows).toEqual([{ state: 'bought', mail_id: null, mails: 0 }]);
});
