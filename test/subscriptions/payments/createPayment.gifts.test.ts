import { call } from '../../support/client';
import { createConsumer } from '../../support/factories';
import { createPayShop, paid, pay } from '../../support/payments';
import { startApp, type TestApp } from '../../support/startApp';
import { passDays } from '../../support/testClock';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});
afterAll(() => app.stop());

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

test('payment.card.success: a gift for another day is mailed on that day, by the merchant’s clock', async () => {
  const shop = await createPayShop(app);
  const receiver = await createConsumer(app, shop.merchant);
  const fields = { is_gift: true, receiver_email: receiver.email, deliver_on: inDays(3) };
  await paid(app, shop, undefined, fields);
  const mailed = async () => {
    const path = `/test-mailbox?to=${receiver.email}`;
    const { body } = await call<{ collection: { subject: string }[] }>(app, 'GET', path, undefined, shop.merchant);
    return body.collection.filter(({ subject }) => subject.startsWith('A gift')).length;
  };
  expect(await mailed()).toBe(0);
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
