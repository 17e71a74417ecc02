import { Secret, TOTP } from 'otpauth';
import { type z } from 'zod';
import {
  type FactorsResponse,
  type NewFactorResponse,
  type RecoveryCodesResponse,
} from '../../src/accounts/secondFactors/secondFactors.schemas';
import { call, type Reply } from './client';
import { password, type Person } from './factories';
import { type TestApp } from './startApp';

type NewFactor = z.output<typeof NewFactorResponse>;
type RecoveryCodes = z.output<typeof RecoveryCodesResponse>;

const path = '/accounts/second-factors';

export interface SecondFactor {
  id: string;
  secret: string;
  recoveryCodes: string[];
}

/** What the authenticator app shows now, or some steps of 30 seconds from now. */
export function codeOf(secret: string, stepsFromNow = 0): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + stepsFromNow * 30_000 });
}

export const startFactor = (app: Pick<TestApp, 'address'>, person: Person, given = password) =>
  call<NewFactor>(app, 'POST', path, { password: given }, person);

export const confirmFactor = (app: Pick<TestApp, 'address'>, person: Person, id: string, code: string) =>
  call<RecoveryCodes>(app, 'POST', `${path}/${id}/confirm`, { code }, person);

/** Every code of the app can be used again, as if enough time had passed. */
export const forgetSteps = (app: TestApp, { id }: Pick<Person, 'id'>) =>
  app.pool.query('UPDATE second_factors SET last_step = NULL WHERE account_id = $1', [id]);

/** Gives the account a second factor. The code of this moment was not used. */
export async function switchFactorOn(app: TestApp, person: Person): Promise<SecondFactor> {
  const { body: started } = await startFactor(app, person);
  const { status, body } = await confirmFactor(app, person, started.id, codeOf(started.secret));
  if (status !== 200) throw new Error(`answered ${status}: ${JSON.stringify(body)}`);
  await forgetSteps(app, person);
  return { id: started.id, secret: started.secret, recoveryCodes: body.recovery_codes };
}

export const listFactors = async (app: TestApp, person: Person) =>
  (await call<z.output<typeof FactorsResponse>>(app, 'GET', path, undefined, person)).body;

export const removeFactor = (app: TestApp, person: Person, id: string, code: string) =>
  call(app, 'DELETE', `${path}/${id}`, { code }, person);

export const renewCodes = (app: TestApp, person: Person, code: string) =>
  call<RecoveryCodes>(app, 'POST', `${path}/recovery-codes`, { code }, person);

interface SignedIn {
  access_token: string;
  refresh_token: string;
  error?: string;
  challenge?: string;
}

/** A sign-in with a password; `fields` adds the code, or replaces the password by a challenge. */
export function signInWith(
  app: Pick<TestApp, 'address'>,
  person: Person,
  fields: Record<string, string | undefined> = {},
  at = '/accounts/authenticate',
): Promise<Reply<SignedIn>> {
  const sent = { client_id: person.merchantUuid, grant_type: 'password', username: person.email, password, ...fields };
  return call<SignedIn>(app, 'POST', at, sent);
}

export const verifyFactor = (app: Pick<TestApp, 'address'>, person: Person, code: string) =>
  call(app, 'POST', `${path}/verify`, { code }, person);

/** The merchant requires factors, even if it has none itself. */
export const requireFactors = (app: TestApp, { id }: Pick<Person, 'id'>) =>
  app.pool.query(`INSERT INTO merchant_settings (merchant_id, second_factor_policy) VALUES ($1, 'required')`, [id]);

/** Makes the last code of the account's sessions older by this time. */
export const ageProof = (app: TestApp, { id }: Pick<Person, 'id'>, age: string) =>
  app.pool.query('UPDATE sessions SET factor_proven_at = now() - $2::interval WHERE account_id = $1', [id, age]);

/** Turns the sessions of the account into sessions of our pages that were opened this time ago. */
export const moveToPages = (app: TestApp, { id }: Pick<Person, 'id'>, age: string) =>
  app.pool.query(
    `UPDATE sessions SET browser_hash = coalesce(browser_hash, '\\x00'), created_at = now() - $2::interval,
       password_proven_at = password_proven_at - $2::interval WHERE account_id = $1`,
    [id, age],
  );

export const verifyPassword = (app: Pick<TestApp, 'address'>, person: Pick<Person, 'token'>, given = password) =>
  call(app, 'POST', '/accounts/verify-password', { password: given }, person);

interface Answer {
  status: number;
  body: unknown;
}

/** Sends a request in an old session with a second factor. Returns its answers before and after the confirmation. */
export async function confirmWithFactor(app: TestApp, person: Person, ask: () => Promise<Answer>) {
  const { secret } = await switchFactorOn(app, person);
  await ageProof(app, person, '11 minutes');
  const before = await ask();
  await verifyFactor(app, person, codeOf(secret));
  return { before, after: await ask() };
}

/** Sends a request in an old session of our pages. Returns its answers before and after the confirmation. */
export async function confirmWithPassword(app: TestApp, person: Person, ask: () => Promise<Answer>) {
  await moveToPages(app, person, '11 minutes');
  const before = await ask();
  await verifyPassword(app, person);
  return { before, after: await ask() };
}
