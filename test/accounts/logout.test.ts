import { call } from '../support/client';
import { createConsumer, createMerchant, password, type Person } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;
let merchant: Person;

beforeAll(async () => {
  app = await startApp();
  merchant = await createMerchant(app);
});

afterAll(() => app.stop());

const signOut = (headers: Record<string, string>) => call(app, 'GET', '/accounts/logout', undefined, { headers });
const statusOf = async (token: string) => (await call(app, 'GET', '/accounts', undefined, { token })).status;
const signedOut = { code: 200, message: 'Successfully logged out', explain: 'Successfully logged out' };

test('200: the session of the token ends at once', async () => {
  const consumer = await createConsumer(app, merchant);
  expect(await statusOf(consumer.token)).toBe(200);
  expect(await signOut({ Authorization: `Bearer ${consumer.token}` })).toMatchObject({ status: 200, body: signedOut });
  expect(await statusOf(consumer.token)).toBe(401);
});

test('200: only that session, and nobody else', async () => {
  const consumer = await createConsumer(app, merchant);
  const neighbour = await createConsumer(app, merchant);
  const { body } = await call<{ access_token: string }>(app, 'POST', '/accounts/authenticate', {
    client_id: merchant.uuid,
    grant_type: 'password',
    username: consumer.email,
    password,
  });
  await signOut({ Authorization: `Bearer ${body.access_token}` });
  for (const token of [consumer.token, neighbour.token, merchant.token]) expect(await statusOf(token)).toBe(200);
});

test('200: a dead token, a broken one and none are signed out already', async () => {
  const consumer = await createConsumer(app, merchant);
  await signOut({ Authorization: `Bearer ${consumer.token}` });
  for (const headers of [{ Authorization: `Bearer ${consumer.token}` }, { Authorization: 'Bearer x.y.z' }, {}])
    expect(await signOut(headers as Record<string, string>)).toMatchObject({ status: 200, body: signedOut });
});

test('200: a token that someone changed ends no session', async () => {
  const consumer = await createConsumer(app, merchant);
  const [head, claims] = consumer.token.split('.');
  expect((await signOut({ Authorization: `Bearer ${head}.${claims}.AAAA` })).status).toBe(200);
  expect(await statusOf(consumer.token)).toBe(200);
});
