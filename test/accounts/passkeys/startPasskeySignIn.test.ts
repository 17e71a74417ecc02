import { call } from '../../support/client';
import { createMerchant } from '../../support/factories';
import { path } from '../../support/passkeys';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const start = (client_id: string) => call(app, 'POST', `${path}/sign-in/options`, { client_id });

test('200: the options reveal nothing of accounts, and ask for a verified user', async () => {
  const { uuid } = await createMerchant(app);
  for (const client of [uuid, 'platform'])
    expect(await start(client)).toMatchObject({
      status: 200,
      body: { rpId: 'paywall.test', userVerification: 'required', allowCredentials: [], timeout: 300_000 },
    });
});

test('401 invalid_client: an unknown client', async () => {
  expect((await start('nobody')).status).toBe(401);
});
