import { call } from '../support/client';
import { registration } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp({ MERCHANT_SIGNUP: 'closed', PLATFORM_CLIENT_ID: 'our-platform' })));
afterAll(() => app.stop());

test.each(['/accounts', '/v2/accounts'])(
  '403 merchant_signup_closed: the operator admits no new merchant, %s',
  async (path) => {
    const fields = registration('merchant', 'our-platform');
    expect(await call(app, 'POST', path, fields)).toMatchObject({
      status: 403,
      body: {
        code: 403,
        message: 'New merchants cannot register here. Ask the operator',
        error: 'merchant_signup_closed',
      },
    });
    const { rows } = await app.pool.query('SELECT 1 FROM accounts');
    expect(rows).toEqual([]);
  },
);

test('401 invalid_client: the platform has the name that the operator gave it', async () => {
  expect(await call(app, 'POST', '/accounts', registration('merchant', 'platform'))).toMatchObject({
    status: 401,
    body: { error: 'invalid_client' },
  });
});
