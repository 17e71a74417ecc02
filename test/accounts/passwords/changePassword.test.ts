import { call, listen } from '../../support/client';
import { createConsumer, createMerchant, password, type Person } from '../../support/factories';
import { guessSevenTimes } from '../../support/guesses';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const better = 'staple-of-batteries';

function change(person: Person, fields: Record<string, unknown> = {}) {
  const sent = { old_password: password, password: better, password_confirmation: better, ...fields };
  return call(app, 'POST', '/accounts/change-password', sent, person);
}

function signIn(person: Person, given: string) {
  const fields = { grant_type: 'password', client_id: person.merchantUuid, username: person.email, password: given };
  return call<{ access_token: string }>(app, 'POST', '/accounts/authenticate', fields);
}

async function isSignedIn(token: string): Promise<boolean> {
  return (await call(app, 'GET', '/accounts', undefined, { token })).status === 200;
}

test('200: the new password signs in, the old one does not, and every other session ends with its sockets', async () => {
  const consumer = await createConsumer(app, await createMerchant(app));
  const other = (await signIn(consumer, password)).body.access_token;
  const [channel, otherChannel] = [await listen(app, consumer), await listen(app, { ...consumer, token: other })];
  expect(await change(consumer)).toMatchObject({
    status: 200,
    body: { code: 200, message: expect.any(String) as string },
  });
  expect([await isSignedIn(consumer.token), await isSignedIn(other)]).toEqual([true, false]);
  expect(await otherChannel.closed).toBe(4401);
  expect((await signIn(consumer, password)).status).toBe(401);
  expect((await signIn(consumer, better)).status).toBe(200);
  const renewal = {
    grant_type: 'refresh_token',
    client_id: consumer.merchantUuid,
    refresh_token: consumer.refreshToken,
  };
  expect((await call(app, 'POST', '/accounts/authenticate', renewal)).status).toBe(200);
  await channel.close();
});

test('422 wrong_old_password: and the password stays', async () => {
  const consumer = await createConsumer(app, await createMerchant(app));
  expect(await change(consumer, { old_password: 'wrong-battery' })).toMatchObject({
    status: 422,
    body: { message: 'Old password does not match', errors: { password: 'Old password does not match' } },
  });
  expect((await signIn(consumer, password)).status).toBe(200);
});

test('429 too_many_requests: a stolen token does not let its thief guess the password', async () => {
  const consumer = await createConsumer(app, await createMerchant(app));
  const statuses = await guessSevenTimes(app, (count) => change(consumer, { old_password: `wrong-${count}-battery` }));
  expect(statuses).toEqual([422, 422, 422, 422, 422, 422, 429]);
  expect((await change(consumer)).status).toBe(429);
});

test.each([
  ['password_confirmation', { password_confirmation: 'another-battery' }, 'does not match the password'],
  ['password', { password: 'short', password_confirmation: 'short' }, 'at least 8 characters'],
  ['password', { password: 'Password123!', password_confirmation: 'Password123!' }, 'score does not match standards'],
])('422 invalid_input: %s %j', async (field, fields, text) => {
  const consumer = await createConsumer(app, await createMerchant(app));
  const { status, body } = await change(consumer, fields);
  expect(status).toBe(422);
  expect(body).toMatchObject({
    message: expect.stringMatching(new RegExp(`^Invalid input: .*${text}`)) as string,
    errors: { [field]: expect.stringContaining(text) as string },
  });
});

test('400 missing_parameter: every absent field is named', async () => {
  const consumer = await createConsumer(app, await createMerchant(app));
  const { status, body } = await call(app, 'POST', '/accounts/change-password', {}, consumer);
  expect(status).toBe(400);
  expect(Object.keys((body as unknown as { errors: object }).errors)).toEqual([
    'old_password',
    'password',
    'password_confirmation',
  ]);
});

test('401 invalid_auth_token: without a token', async () => {
  const fields = { old_password: password, password: better, password_confirmation: better };
  expect((await call(app, 'POST', '/accounts/change-password', fields)).status).toBe(401);
});
