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

async function disputed() {
  const own = await subscribeInOwnShop(app);
  const dispute = opened();
  await own.tell('charge.dispute.created', dispute);
  const [row] = (await listDisputes(app, own.shop.merchant)).collection;
  const path = `/payments/disputes/${row?.id}/evidence`;
  const send = (statement = 'They watched it.', merchant = own.shop.merchant) =>
    call<Dispute & ErrorBody>(app, 'POST', path, { statement }, merchant);
  return { ...own, dispute, send };
}

test('200: the statement and the facts are submitted to the bank, once', async () => {
  const { shop, account, dispute, send } = await disputed();
  const { status, body } = await send();
  expect([status, body.status]).toEqual([200, 'under_review']);
  expect(body.evidence_sent_at).toBeGreaterThan(0);
  expect(account.evidence.get(dispute.id)).toMatchObject({
    customer_name: 'Ana Petrova',
    customer_email_address: shop.consumer.email,
    product_description: `Cup final: ${shop.fee.description}`,
    access_activity_log: expect.stringContaining('signed in') as string,
    uncategorized_text: 'They watched it.',
  });
  expect((await send()).body.error).toBe('dispute_closed');
});

test('409 dispute_closed: the bank has decided, or Stripe takes no more evidence', async () => {
  const { dispute, tell, send } = await disputed();
  await tell('charge.dispute.closed', { ...dispute, status: 'lost' });
  expect((await send()).status).toBe(409);

  const other = await disputed();
  other.account.evidence.set(other.dispute.id, {});
  const { status, body } = await other.send();
  expect([status, body.error, body.explain]).toEqual([409, 'dispute_closed', 'Evidence was submitted.']);
});

test('404 dispute_not_found: another merchant’s', async () => {
  const { send, account } = await disputed();
  const { status, body } = await send('Mine.', await createMerchant(app));
  expect([status, body.error, account.evidence.size]).toEqual([404, 'dispute_not_found', 0]);
});

test('422 invalid_input: the statement is too long', async () => {
  const { send, account } = await disputed();
  const { status, body } = await send('x'.repeat(20_001));
  expect([status, Object.keys(body.errors ?? {}), account.evidence.size]).toEqual([422, ['statement'], 0]);
  expect((await send('x'.repeat(20_000))).status).toBe(200);
});

test('503 service_unavailable: Stripe does not answer; the request can be repeated', async () => {
  const { dispute, send } = await disputed();
  app.stripe.fail(`/v1/disputes/${dispute.id}`, 'refuse before the work', 2);
  expect((await send()).status).toBe(503);
  app.stripe.mend();
  expect((await send()).status).toBe(200);
});
