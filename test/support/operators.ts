import { randomUUID } from 'node:crypto';
import { type z } from 'zod';
import { type Role } from '../../src/kit/auth';
import { type RefusedMessagePage } from '../../src/operator/operator.schemas';
import { call } from './client';
import { password, type Person } from './factories';
import { PageWalker } from './pageWalker';
import { codeOf, forgetSteps, signInWith, switchFactorOn } from './secondFactors';
import { type TestApp } from './startApp';
import { cloneConsumer, merchantFor, type World } from './world';

export interface Operator extends Person {
  secret: string;
}

/** The path of the link that the command prints. */
export async function inviteOperator(email: string): Promise<string> {
  const { inviteOperator: invite } = await import('../../src/accounts/operators.js');
  return new URL(await invite(email)).pathname;
}

export const setPassword = (app: Pick<TestApp, 'address'>, path: string, chosen = password) =>
  call(app, 'PUT', path, { password: chosen, password_confirmation: chosen });

/** The rows of a new operator with a password, who is not signed in. */
export async function registerOperator(app: TestApp): Promise<Person> {
  const email = `operator-${randomUUID()}@example.org`;
  await setPassword(app, await inviteOperator(email));
  const { rows } = await app.pool.query<{ id: number; uuid: string }>(
    `SELECT id, uuid FROM accounts WHERE email = $1 AND role = 'operator'`,
    [email],
  );
  const [row] = rows;
  if (!row) throw new Error('There is no operator');
  return { ...row, email, merchantUuid: 'operator', token: '', refreshToken: '' };
}

/** A new operator without a second factor, in a session. */
export async function enterOperator(app: TestApp): Promise<Person> {
  const operator = await registerOperator(app);
  const { body } = await signInWith(app, operator);
  return { ...operator, token: body.access_token };
}

/** An operator with a second factor, in a session in which a code was just entered. */
export async function createOperator(app: TestApp): Promise<Operator> {
  const person = await enterOperator(app);
  const { secret } = await switchFactorOn(app, person);
  return { ...person, secret };
}

export const signInOperator = (app: TestApp, operator: Operator) =>
  signInWith(app, operator, { second_factor_code: codeOf(operator.secret) });

/** The operator signs in on the pages, with a code. */
export async function enterOperatorPages(app: TestApp, operator: Operator): Promise<PageWalker> {
  const walker = new PageWalker(app);
  await forgetSteps(app, operator);
  await walker.open('/operator/sign-in');
  const { text } = await walker.submit('/operator/sign-in', { email: operator.email, password, next: '' });
  const [, second_factor_challenge = ''] = /name="second_factor_challenge" value="([^"]+)"/.exec(text) ?? [];
  const sent = { second_factor_challenge, second_factor_code: codeOf(operator.secret), next: '' };
  const entered = await walker.submit('/operator/sign-in', sent);
  expect([entered.status, entered.headers.get('location')]).toEqual([303, '/operator']);
  return walker;
}

const known = new WeakMap<TestApp, Promise<Operator>>();

/** Another session of the operator that tests share. */
export async function openOperator(app: TestApp): Promise<Operator> {
  const shared = known.get(app) ?? createOperator(app);
  known.set(app, shared);
  const operator = await shared;
  const { openSession } = await import('../../src/accounts/tokens/tokens.js');
  const { Account } = await import('../../src/accounts/accounts.model.js');
  const account = await Account.findByPk(operator.id, { rejectOnEmpty: true });
  const tokens = await openSession(account, 'operator', { isFactorProven: true });
  return { ...operator, token: tokens.accessToken };
}

/** A message to a run that nothing else knows, which Temporal has refused. Returns its id. */
export async function insertRefused({ pool }: Pick<TestApp, 'pool'>, workflowId = `subscription-${randomUUID()}`) {
  const { rows } = await pool.query<{ id: number }>(
    `INSERT INTO outbox (workflow, workflow_id, message_id, signal, input, attempts, last_error, available_at, parked_at)
     VALUES ('subscription', $1, gen_random_uuid(), 'wake', '{}', 10, 'Namespace paywall is not found', now(), now())
     RETURNING id::int`,
    [workflowId],
  );
  const [row] = rows;
  if (!row) throw new Error('The message was not inserted');
  return row.id;
}

/** A message that waits for its time. */
export async function insertWaiting({ pool }: Pick<TestApp, 'pool'>): Promise<number> {
  const { rows } = await pool.query<{ id: number }>(
    `INSERT INTO outbox (workflow, workflow_id, message_id, input, available_at)
     VALUES ('subscription', 'waits', gen_random_uuid(), '{}', now() + interval '1 hour') RETURNING id::int`,
  );
  return rows[0]?.id ?? 0;
}

export async function listRefused(app: Pick<TestApp, 'address'>, operator: Operator) {
  return (await call<z.output<typeof RefusedMessagePage>>(app, 'GET', '/operator/messages', undefined, operator)).body;
}

/** The decision of an operator about a refused message. */
export const decideAbout = (
  app: Pick<TestApp, 'address'>,
  operator: Operator,
  { id, decision }: { id: number; decision: 'send' | 'discard' },
) =>
  call<{ error?: string; message: string }>(app, 'POST', `/operator/messages/${id}/${decision}`, undefined, operator);

/** What the audit log has about a message. */
export async function actionsAbout({ pool }: Pick<TestApp, 'pool'>, messageId: number): Promise<string[]> {
  const text = "SELECT action FROM audit_log WHERE object_type = 'message' AND object_id = $1";
  return (await pool.query<{ action: string }>(text, [String(messageId)])).rows.map(({ action }) => action);
}

/** A caller for a request that names rows of the world. */
export function callerFor(role: Role, world: World, example: { spends?: true }): Promise<Person> {
  if (role === 'operator') return openOperator(world.app);
  return role === 'merchant' ? merchantFor(world, example) : cloneConsumer(world);
}

export type StateName = 'waiting' | 'suspended';

/** A state as an operator would leave it. */
export async function putInState({ pool }: TestApp, { id }: Pick<Person, 'id'>, state: StateName): Promise<void> {
  const column = state === 'waiting' ? 'waiting_since' : 'suspended_at';
  await pool.query(
    `INSERT INTO merchant_states (merchant_id, ${column}, suspension_reason)
     VALUES ($1, now(), ${state === 'waiting' ? 'NULL' : `'Mails to strangers.'`})`,
    [id],
  );
}
