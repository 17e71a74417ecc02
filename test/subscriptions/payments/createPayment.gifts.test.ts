import { call } from '../../support/client';
import { createConsumer } from '../../support/factories';
import { createPayShop, paid, pay, refund, refundCards, refunded } from '../../support/payments';
import { startApp, type TestApp } from '../../support/startApp';
import { passDays } from '../../support/testClock';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});
afterAll(() => app.stop());

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

async function buyForLater(days: number, card?: string) {
  const shop = await createPayShop(app);
  const receiver = await createConsumer(app, shop.merchant);
  const fields = { is_gift: true, receiver_email: receiver.email, deliver_on: inDays(days) };
  const token = await paid(app, shop, card, fields);
  const mailed = async () => {
    const path = `/test-mailbox?to=${receiver.email}`;
    const { body } = await call<{ collection: { subject: string }[] }>(app, 'GET', path, undefined, shop.merchant);
    return body.collection.filter(({ subject }) => subject.startsWith('A gift')).length;
  };
  const giftId = async () => {
    const text = 'SELECT id FROM gift_vouchers WHERE payment_token = $1';
    return (await app.pool.query<{ id: number }>(text, [token])).rows[0]?.id;
  };
  return { shop, receiver, token, mailed, giftId };
}

test('payment.card.success: a gift for another day is mailed on that day, by the merchant’s clock', async () => {
  const { shop, mailed } = await buyForLater(3);
  expect(await mailed()).toBe(0);
  await passDays(app, shop.merchant, 3.1);
  expect(await mailed()).toBe(1);
});

test('payment.card.success: a gift for a day far ahead is mailed then, whatever else is forgotten meanwhile', async () => {
  const { shop, receiver, mailed } = await buyForLater(60);
  const age = `UPDATE mails SET created_at = now() - interval '31 days' WHERE recipient = $1`;
  await app.pool.query(age, [receiver.email]);
  const { deleteOutdated } = await import('../../../src/privacy/retention.js');
  await deleteOutdated();
  await passDays(app, shop.merchant, 60.1);
  expect(await mailed()).toBe(1);
});

test('payment.refund.success: a gift that is given back before its day is mailed to nobody', async () => {
  const { shop, token, mailed } = await buyForLater(3);
  await refund(app, shop.merchant, token);
  await refunded(app, token);
  await passDays(app, shop.merchant, 3.1);
  expect(await mailed()).toBe(0);
});

test('payment.refund.failed: a gift that could not be given back is mailed on its day after all', async () => {
  const { shop, token, mailed } = await buyForLater(3, refundCards.refused);
  await refund(app, shop.merchant, token);
  await refunded(app, token, 1, 'failed');
  expect(await mailed()).toBe(0);
  await passDays(app, shop.merchant, 3.1);
  expect(await mailed()).toBe(1);
});

test('payment.card.success: a gift that is sent at once before its day is mailed once', async () => {
  const { shop, giftId, mailed } = await buyForLater(3);
  const path = `/vouchers/gifts/${await giftId()}/resend`;
  expect((await call(app, 'POST', path, {}, shop.merchant)).status).toBe(200);
  expect(await mailed()).toBe(1);
  await passDays(app, shop.merchant, 3.1);
  expect(await mailed()).toBe(1);
});

test.each([
  [{ deliver_on: inDays(1) }, 'is for a gift'],
  [{ is_gift: true, receiver_email: 'a@example.org', deliver_on: inDays(-1) }, 'must be in the future'],
  [{ is_gift: true, receiver_email: 'a@example.org', deliver_on: inDays(400) }, 'must be within a year'],
])('422 invalid_input: %j', async (fields, rule) => {
  const shop = await createPayShop(app);
  expect(await pay(app, shop, undefined, fields)).toMatchObject({
    status: 422,
    body: { error: 'invalid_input', errors: { deliver_on: `The deliver_on ${rule}.` } },
  });
});
