import { call } from '../../support/client';
import { createConsumer, createMerchant } from '../../support/factories';
import { auditOf } from '../../support/followers';
import { isSignedIn, signInAgain } from '../../support/sessions';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const end = (merchant: { token: string }, id: number) =>
  call(app, 'DELETE', `/v2/accounts/customers/${id}/sessions`, undefined, merchant);

test('200: every session of the customer ends, and the audit log says who did it', async () => {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const other = await signInAgain(app, consumer);
  expect((await end(merchant, consumer.id)).status).toBe(200);
  expect([await isSignedIn(app, consumer), await isSignedIn(app, other)]).toEqual([false, false]);
  expect((await auditOf(app, merchant))[0]).toMatchObject({
    action: 'session.end',
    object_id: String(consumer.id),
    actor_account_id: merchant.id,
  });
});

test('404 account_not_found: another merchant’s customer', async () => {
  const stranger = await createConsumer(app, await createMerchant(app));
  expect(await end(await createMerchant(app), stranger.id)).toMatchObject({
    status: 404,
    body: { error: 'account_not_found' },
  });
  expect(await isSignedIn(app, stranger)).toBe(true);
});
