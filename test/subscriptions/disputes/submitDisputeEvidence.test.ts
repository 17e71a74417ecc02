import { call } from '../../support/client';
import { listDisputes, opened, subscribeInOwnShop, type Dispute } from '../../support/disputes';
import { createMerchant, password } from '../../support/factories';
import { startAccountsApp, type AccountsApp } from '../../support/paymentAccounts';
import { type ErrorBody } from '../../support/raw';

let app: AccountsApp;

beforeAll(async () => {
  app = await startAccountsApp();
  await app.startWorker();
});

afterAll(() => app.stop());

const phone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 Safari/604.1';
const television = 'Roku/DVP-12.0 (12.0.0.4182-88)';

async function disputed() {
  const own = await subscribeInOwnShop(app, { 'User-Agent': phone });
  const { email: username, merchantUuid: client_id } = own.shop.consumer;
  const credentials = { username, password, client_id, grant_type: 'password' };
  await call(app, 'POST', '/accounts/authenticate', credentials, { headers: { 'User-Agent': television } });
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

test('200: the receipt of the payment is submitted as a PDF, with the device of the purchase and of the sign-ins', async () => {
  const { shop, account, dispute, send } = await disputed();
  const { body } = await send();
  expect(body.evidence).toMatchObject({
    purchase_device: 'iPhone (iOS, mobile)',
    receipt: `/v2/accounting/transactions/${body.transaction}/receipt`,
  });
  const sent = account.evidence.get(dispute.id);
  expect(sent?.['customer_purchase_ip']).toBe(body.evidence.customer_address);
  const log = String(sent?.['access_activity_log']);
  const bought = `: the customer bought "${shop.fee.description}" from the address ${body.evidence.customer_address} with iPhone (iOS, mobile)`;
  expect(log).toContain(bought);
  expect(log).toContain(': the customer signed in with Roku (Roku OS, tv)\n');
  const receipt = await call<string>(app, 'GET', body.evidence.receipt, undefined, shop.merchant);
  const name = /filename="(.+)"/.exec(receipt.headers.get('content-disposition') ?? '')?.[1];
  const file = account.files.get(String(sent?.['receipt'])) ?? '';
  expect(file).toContain(`filename="${name}"`);
  expect(file.length).toBeGreaterThan(1_000);
});

test('409 dispute_closed: the key of the merchant may not upload files, and Stripe says so', async () => {
  const { account, send } = await disputed();
  app.stripe.refuse('/v1/files', 403, {
    type: 'invalid_request_error',
    message: 'The key needs the permission files.',
  });
  const { status, body } = await send();
  app.stripe.mend();
  expect([status, body.error, body.explain]).toEqual([409, 'dispute_closed', 'The key needs the permission files.']);
  expect(account.evidence.size).toBe(0);
  expect((await send()).status).toBe(200);
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
