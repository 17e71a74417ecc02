import { call } from '../support/client';
import { createMerchant } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));

afterAll(() => app.stop());

test('200: the merchant’s time is the real one until it is moved', async () => {
  const [merchant, other] = [await createMerchant(app), await createMerchant(app)];
  const before = Math.floor(Date.now() / 1000);
  const { body } = await call<{ now: number; ahead: number }>(app, 'GET', '/test-clock', undefined, merchant);
  expect(body.ahead).toBe(0);
  expect(Math.abs(body.now - before)).toBeLessThan(60);
  await call(app, 'POST', '/test-clock', { advance: 3600 }, other);
  expect((await call(app, 'GET', '/test-clock', undefined, merchant)).body).toMatchObject({ ahead: 0 });
  expect((await call(app, 'GET', '/test-clock', undefined, other)).body).toMatchObject({ ahead: 3600 });
});
