import { createMerchant } from '../../support/factories';
import { putInState } from '../../support/operators';
import { signInWith } from '../../support/secondFactors';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

test.each(['/accounts/authenticate', '/v2/accounts/authenticate'])(
  '403 merchant_suspended: the operator has closed the merchant, which only the right password learns, %s',
  async (path) => {
    const merchant = await createMerchant(app);
    await putInState(app, merchant, 'suspended');
    const platform = { client_id: 'platform' };
    expect((await signInWith(app, merchant, platform, path)).body).toMatchObject({
      code: 403,
      error: 'merchant_suspended',
    });
    const wrong = await signInWith(app, merchant, { ...platform, password: 'another-horse' }, path);
    expect(wrong.body.error).toBe('invalid_credentials');
  },
);
