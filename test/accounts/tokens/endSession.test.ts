import { call } from '../../support/client';
import { createConsumer, createMerchant } from '../../support/factories';
import { isSignedIn, sessionOf, signInAgain } from '../../support/sessions';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

test('200: the session ends, and the one that asks goes on', async () => {
  const here = await createConsumer(app, await createMerchant(app));
  const there = await signInAgain(app, here);
  expect((await call(app, 'DELETE', `/accounts/sessions/${sessionOf(there)}`, undefined, here)).status).toBe(200);
  expect([await isSignedIn(app, here), await isSignedIn(app, there)]).toEqual([true, false]);
});

test('404 session_not_found: a session of somebody else, and one that has ended', async () => {
  const merchant = await createMerchant(app);
  const [consumer, stranger] = [await createConsumer(app, merchant), await createConsumer(app, merchant)];
  const path = `/accounts/sessions/${sessionOf(stranger)}`;
  expect(await call(app, 'DELETE', path, undefined, consumer)).toMatchObject({
    status: 404,
    body: { error: 'session_not_found' },
  });
  expect(await isSignedIn(app, stranger)).toBe(true);
  const gone = await signInAgain(app, consumer);
  await call(app, 'GET', '/accounts/logout', undefined, gone);
  const again = await call(app, 'DELETE', `/accounts/sessions/${sessionOf(gone)}`, undefined, consumer);
  expect(again.status).toBe(404);
});
