import { call } from '../../support/client';
import { createConsumer, createMerchant, type Person } from '../../support/factories';
import { auditOf } from '../../support/followers';
import { receives, tokenIn } from '../../support/mailbox';
import { erase } from '../../support/privacy';
import { createStaff } from '../../support/staff';
import { startApp, type TestApp } from '../../support/startApp';

/** A merchant mails the activation link again. */

let app: TestApp;
beforeAll(async () => void (app = await startApp({ RATE_LIMIT_MAILS: '2' })));
afterAll(() => app.stop());

const resend = (id: number, caller: Person) =>
  call<{ message: string }>(app, 'POST', `/v2/accounts/customers/${id}/activation/resend`, undefined, caller);
const activate = (token: string) => call(app, 'PUT', `/accounts/activate/${token}`);

async function createCustomer() {
  const merchant = await createMerchant(app);
  return { merchant, consumer: await createConsumer(app, merchant) };
}

test('200: a new link that works, the old one no longer, and an entry in the log', async () => {
  const { merchant, consumer } = await createCustomer();
  const first = await receives(app, merchant, consumer.email, 'activation');
  expect((await resend(consumer.id, merchant)).status).toBe(200);
  const second = await receives(app, merchant, consumer.email, 'activation', first.id);
  expect((await auditOf(app, merchant))[0]).toMatchObject({
    action: 'activation.resend',
    object_type: 'account',
    object_id: String(consumer.id),
  });
  expect((await activate(tokenIn(first))).body).toMatchObject({ error: 'activation_token_invalid' });
  expect((await activate(tokenIn(second))).status).toBe(201);
});

test('404 account_not_found: a customer of another merchant, and a member of the staff', async () => {
  const { merchant } = await createCustomer();
  const other = await createCustomer();
  const staff = await createStaff(app, merchant, { role: 'editor' });
  for (const { id } of [other.consumer, staff])
    expect(await resend(id, merchant)).toMatchObject({ status: 404, body: { error: 'account_not_found' } });
});

test('409 mail_not_possible: the account is active, deactivated or erased', async () => {
  const { merchant, consumer } = await createCustomer();
  await activate(tokenIn(await receives(app, merchant, consumer.email, 'activation')));
  const inactive = await createConsumer(app, merchant);
  await app.pool.query('UPDATE accounts SET is_active = false WHERE id = $1', [inactive.id]);
  const erased = await createConsumer(app, merchant);
  await erase(app, erased);
  const texts = [];
  for (const { id } of [consumer, inactive, erased]) {
    const { status, body } = await resend(id, merchant);
    expect([status, body]).toMatchObject([409, { error: 'mail_not_possible' }]);
    texts.push(body.message);
  }
  expect(texts).toEqual([
    'The mail cannot be sent: The account is activated.',
    'The mail cannot be sent: The account is deactivated.',
    'The mail cannot be sent: The account is erased.',
  ]);
});

test('429 too_many_requests: one address gets two activation mails an hour', async () => {
  const { merchant, consumer } = await createCustomer();
  const statuses = [];
  for (let count = 0; count < 3; count += 1) statuses.push((await resend(consumer.id, merchant)).status);
  expect(statuses).toEqual([200, 200, 429]);
});
