import { randomUUID } from 'node:crypto';
import { call } from '../support/client';
import { setPassword } from '../support/operators';
import { runScript } from '../support/scripts';
import { signInWith, switchFactorOn } from '../support/secondFactors';
import { password, type Person } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';

/** The commands that create and remove operators, and that reset a lost second factor. */

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const run = (...input: string[]) => runScript('operators.js', input);
const newAddress = () => `operator-${randomUUID()}@example.org`;

/** An operator whose password was set with the printed link. */
async function create(email: string): Promise<Person> {
  const { code, said } = await run('create', email);
  const [, link = ''] = said.split('\n');
  expect([code, said.split('\n')[0]]).toEqual([0, 'Open this address within one hour. It works once.']);
  expect((await setPassword(app, new URL(link).pathname)).status).toBe(200);
  const { rows } = await app.pool.query<{ id: number; uuid: string }>(
    'SELECT id, uuid FROM accounts WHERE email = $1',
    [email],
  );
  const [{ id, uuid } = { id: 0, uuid: '' }] = rows;
  return { id, uuid, email, merchantUuid: 'operator', token: '', refreshToken: '' };
}

test('create prints a link that makes an operator, and remove ends the operator', async () => {
  const person = await create(newAddress());
  const { body } = await signInWith(app, person);
  expect(body.access_token).not.toBe('');
  expect(await run('remove', person.email)).toEqual({ code: 0, said: 'The operator is removed.\n' });
  const again = await call(app, 'POST', '/accounts/authenticate', {
    ...{ client_id: 'operator', grant_type: 'password', username: person.email, password },
  });
  expect(again.status).toBe(401);
});

test('reset-factor removes a lost second factor', async () => {
  const person = await create(newAddress());
  const { body } = await signInWith(app, person);
  await switchFactorOn(app, { ...person, token: body.access_token });
  expect((await run('reset-factor', person.email)).code).toBe(0);
  const signedIn = await signInWith(app, person);
  expect(signedIn.body.access_token).not.toBe('');
});

test.each([[['create']], [['create', 'nobody']], [['promote', 'name@example.org']]])(
  '%j is refused with the right form',
  async (input) => {
    const { code, said } = await run(...input);
    expect([code, said]).toEqual([1, expect.stringContaining('npm run operator:create -- name@example.com')]);
  },
);
