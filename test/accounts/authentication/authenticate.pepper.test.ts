import { hash } from '@node-rs/argon2';
import { call } from '../../support/client';
import { createConsumer, createMerchant, password } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ PASSWORD_PEPPER: '3:the-third-of-all-peppers' });
});

afterAll(() => app.stop());

test('200: who signs in with a hash from before the pepper has one with it afterwards', async () => {
  const consumer = await createConsumer(app, await createMerchant(app));
  const read = async () =>
    (await app.pool.query<{ password_hash: string }>('SELECT password_hash FROM accounts WHERE id = $1', [consumer.id]))
      .rows[0]?.password_hash;
  expect(await read()).toMatch(/^p3\$argon2id\$/);
  const plain = await hash(password, { memoryCost: 19_456, timeCost: 2, parallelism: 1 });
  await app.pool.query('UPDATE accounts SET password_hash = $2 WHERE id = $1', [consumer.id, plain]);
  const credentials = { client_id: consumer.merchantUuid, grant_type: 'password', username: consumer.email, password };
  expect((await call(app, 'POST', '/accounts/authenticate', credentials)).status).toBe(200);
  expect(await read()).toMatch(/^p3\$argon2id\$/);
  expect((await call(app, 'POST', '/accounts/authenticate', credentials)).status).toBe(200);
});
