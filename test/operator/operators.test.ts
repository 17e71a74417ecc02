import '../support/generatedSettings';
import { randomUUID } from 'node:crypto';
import { call } from '../support/client';
import { newAddress, requestEmail } from '../support/emailChanges';
import { examplesOf } from '../support/examples';
import { createMerchant, password } from '../support/factories';
import { generatedRoutes, sendExample } from '../support/generated';
import { createOperator, inviteOperator, registerOperator, setPassword, signInOperator } from '../support/operators';
import { ageProof, forgetSteps, listFactors, signInWith } from '../support/secondFactors';
import { startApp, type TestApp } from '../support/startApp';
import { createWorld } from '../support/world';

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const own = generatedRoutes.filter(([, { endpoint }]) => endpoint.auth.kind === 'operator');

test.each(own)(
  '403 second_factor_missing: %s asks an operator for a code of the last half hour',
  async (name, route) => {
    const [example] = examplesOf(name);
    const world = await createWorld(app);
    const person = await registerOperator(app);
    const { body } = await signInWith(app, person);
    const sent = await example.request(world, person);
    const refused = await sendExample(app, route, sent, body.access_token);
    expect(refused.body).toMatchObject({ code: 403, error: 'second_factor_missing' });
    const operator = await createOperator(app);
    await ageProof(app, operator, '31 minutes');
    const late = await sendExample(app, route, sent, operator.token);
    expect(late.body).toMatchObject({ code: 403, error: 'recent_factor_required' });
    await ageProof(app, operator, '29 minutes');
    expect((await sendExample(app, route, sent, operator.token)).status).toBe(200);
  },
);

const listed = (token: string) => call(app, 'GET', '/operator/merchants', undefined, { token });

test('the link of the command sets the password once, and a new link ends the older one', async () => {
  const email = `operator-${randomUUID()}@example.org`;
  const older = await inviteOperator(email);
  const link = await inviteOperator(email.toUpperCase());
  expect((await setPassword(app, older)).body).toMatchObject({ error: 'reset_token_invalid' });
  expect((await setPassword(app, link, 'password123')).status).toBe(422);
  expect((await setPassword(app, link)).status).toBe(200);
  expect((await setPassword(app, link)).status).toBe(422);
  const { rows } = await app.pool.query(
    `SELECT count(*)::int AS n FROM accounts WHERE role = 'operator' AND email_normalized = $1`,
    [email],
  );
  expect(rows).toEqual([{ n: 1 }]);
});

test('401 invalid_refresh_token: a renewal does not extend the session of an operator beyond 12 hours', async () => {
  const { body } = await signInOperator(app, await createOperator(app));
  const renew = (refresh_token: string) =>
    call<{ refresh_token: string; expires: number }>(app, 'POST', '/accounts/authenticate', {
      ...{ client_id: 'operator', grant_type: 'refresh_token', refresh_token },
    });
  const sessions = (age: string) =>
    app.pool.query(
      `UPDATE sessions SET created_at = created_at - $1::interval, expires_at = expires_at - $1::interval
       WHERE client_id = 'operator'`,
      [age],
    );
  await sessions('11 hours');
  const renewed = await renew(body.refresh_token);
  expect(renewed.status).toBe(200);
  expect(renewed.body.expires - Date.now() / 1000).toBeLessThanOrEqual(3600);
  await sessions('2 hours');
  expect((await renew(renewed.body.refresh_token)).body).toMatchObject({ error: 'invalid_refresh_token' });
});

test('401 second_factor_required: the password alone signs no operator in, who then has a session of 12 hours', async () => {
  const operator = await createOperator(app);
  expect((await signInWith(app, operator)).body.error).toBe('second_factor_required');
  const signedIn = await signInOperator(app, operator);
  expect((await listed(signedIn.body.access_token)).status).toBe(200);
  const { rows } = await app.pool.query<{ hours: number }>(
    `SELECT round(extract(epoch FROM expires_at - created_at) / 3600)::int AS hours FROM sessions
     WHERE account_id = $1 ORDER BY created_at DESC LIMIT 1`,
    [operator.id],
  );
  expect(rows).toEqual([{ hours: 12 }]);
});

test('401 invalid_credentials: an operator is no merchant, and a merchant no operator', async () => {
  const merchant = await createMerchant(app);
  const operator = await createOperator(app);
  for (const [email, client_id] of [
    [merchant.email, 'operator'],
    [operator.email, 'platform'],
    [operator.email, merchant.uuid],
  ] as const)
    expect((await signInWith(app, { ...operator, email }, { client_id })).body.error).toBe('invalid_credentials');
  // Both may have the same address.
  const path = await inviteOperator(merchant.email);
  expect((await setPassword(app, path, `${password}-2`)).status).toBe(200);
  expect((await signInWith(app, { ...merchant, merchantUuid: 'operator' }, { password: `${password}-2` })).status).toBe(
    200,
  );
  expect((await signInWith(app, merchant)).status).toBe(200);
});

test('a removed operator is out at once, and another command lets it in again', async () => {
  const { removeOperator } = await import('../../src/accounts/operators.js');
  const operator = await createOperator(app);
  await removeOperator(operator.email);
  expect((await listed(operator.token)).status).toBe(401);
  expect((await signInOperator(app, operator)).status).toBe(401);
  await expect(removeOperator('nobody@example.org')).rejects.toMatchObject({ code: 'account_not_found' });
  expect((await setPassword(app, await inviteOperator(operator.email))).status).toBe(200);
  await forgetSteps(app, operator);
  expect((await signInOperator(app, operator)).status).toBe(200);
});

test('a lost second factor is removed by a command, and the next sign-in works only towards a new one', async () => {
  const { resetOperatorFactor } = await import('../../src/accounts/operators.js');
  const operator = await createOperator(app);
  await resetOperatorFactor(operator.email);
  expect((await listed(operator.token)).status).toBe(401);
  const { body } = await signInWith(app, operator);
  expect((await listed(body.access_token)).body).toMatchObject({ error: 'second_factor_missing' });
  expect(await listFactors(app, { ...operator, token: body.access_token })).toMatchObject({ collection: [] });
});

test('a change of the address that waits ends with a removal and with a reset of the factor', async () => {
  const { removeOperator, resetOperatorFactor } = await import('../../src/accounts/operators.js');
  for (const change of [removeOperator, resetOperatorFactor]) {
    const operator = await createOperator(app);
    expect((await requestEmail(app, operator, { email: newAddress() })).status).toBe(200);
    await change(operator.email);
    const text = 'SELECT FROM email_changes WHERE account_id = $1 AND ended_at IS NULL';
    expect((await app.pool.query(text, [operator.id])).rows).toEqual([]);
  }
});
