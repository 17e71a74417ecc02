import { call } from '../../support/client';
import { createConsumer, createMerchant } from '../../support/factories';
import { isSignedIn, sessionOf, signInAgain } from '../../support/sessions';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const end = (merchant: { token: string }, id: number, session: string) =>
  call(app, 'DELETE', `/v2/accounts/customers/${id}/sessions/${session}`, undefined, merchant);

test('200: one session of the customer ends', async () => {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const other = await signInAgain(app, consumer);
  expect((await end(merchant, consumer.id, sessionOf(other))).status).toBe(200);
  expect([await isSignedIn(app, consumer), await isSignedIn(app, other)]).toEqual([true, false]);
});

test('404 account_not_found: another merchant’s customer', async () => {
  const stranger = await createConsumer(app, await createMerchant(app));
  const reply = await end(await createMerchant(app), stranger.id, sessionOf(stranger));
  expect(reply).toMatchObject({ status: 404, body: { error: 'account_not_found' } });
  expect(await isSignedIn(app, stranger)).toBe(true);
});

test('404 session_not_found: a session of another customer', async () => {
  const merchant = await createMerchant(app);
  const [consumer, neighbour] = [await createConsumer(app, merchant), await createConsumer(app, merchant)];
  const reply = await end(merchant, consumer.id, sessionOf(neighbour));
  expect(reply).toMatchObject({ status: 404, body: { error: 'session_not_found' } });
  expect(await isSignedIn(app, neighbour)).toBe(true);
});
