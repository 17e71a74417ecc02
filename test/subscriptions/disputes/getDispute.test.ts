import { call } from '../../support/client';
import { listDisputes, opened, subscribeInOwnShop, type Dispute } from '../../support/disputes';
import { createMerchant } from '../../support/factories';
import { startAccountsApp, type AccountsApp } from '../../support/paymentAccounts';
import { type ErrorBody } from '../../support/raw';

let app: AccountsApp;

beforeAll(async () => {
  app = await startAccountsApp();
  await app.startWorker();
});

afterAll(() => app.stop());

test('200: the evidence: the customer, the product, the payment and the sign-ins', async () => {
  const { shop, tell } = await subscribeInOwnShop(app);
  await tell('charge.dispute.created', opened());
  const [row] = (await listDisputes(app, shop.merchant)).collection;
  const { body } = await call<Dispute>(app, 'GET', `/payments/disputes/${row?.id}`, undefined, shop.merchant);
  expect(body).toMatchObject({ ...row });
  expect(body.evidence).toMatchObject({
    customer_name: 'Ana Petrova',
    customer_email: shop.consumer.email,
    product: `Cup final: ${shop.fee.description}`,
    paid_on: new Date().toISOString().slice(0, 10),
  });
  const [bought, access, ...signIns] = body.evidence.access_log.split('\n');
  expect(bought).toMatch(/UTC: the customer bought ".+" from the address \S+$/);
  expect(access).toMatch(/^Access to "Cup final" from \d{4}-\d\d-\d\d \d\d:\d\d UTC to \d{4}/);
  expect(signIns).toEqual([expect.stringMatching(/UTC: the customer signed in$/) as string]);
});

test('404 dispute_not_found: unknown, or of another merchant', async () => {
  const { shop, tell } = await subscribeInOwnShop(app);
  await tell('charge.dispute.created', opened());
  const [row] = (await listDisputes(app, shop.merchant)).collection;
  const other = await createMerchant(app);
  for (const id of [row?.id, 999_999]) {
    const { status, body } = await call<ErrorBody>(app, 'GET', `/payments/disputes/${id}`, undefined, other);
    expect([status, body.error]).toEqual([404, 'dispute_not_found']);
  }
});
