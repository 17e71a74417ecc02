import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type z } from 'zod';
import { type KeySet } from '../../../src/accounts/tokens/tokens.schemas';
import { call } from '../../support/client';
import { createMerchant, type Person } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';
import { until } from '../../support/until';

interface Key {
  kid: string;
  signs_from?: number;
}

const folder = mkdtempSync(join(tmpdir(), 'paywall-keys-'));
const file = join(folder, 'jwt-keys.json');
let app: TestApp;

function newKey(kid: string): Key {
  return { kid, ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }) };
}

function write(keys: Key[]): void {
  writeFileSync(`${file}.new`, JSON.stringify(keys), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

const read = () => JSON.parse(readFileSync(file, 'utf8')) as Key[];
const rotate = (...options: string[]) =>
  execFileSync('node', [resolve(__dirname, '../../../deploy/rotate-keys.mjs'), ...options, file]).toString();
const kidOf = ({ token }: Person) =>
  (JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as Key).kid;

async function publishedKids(): Promise<string[]> {
  const { body } = await call<z.output<typeof KeySet>>(app, 'GET', '/.well-known/jwks.json');
  return body.keys.map(({ kid }) => kid);
}

async function isSignedIn(person: Person): Promise<boolean> {
  return (await call(app, 'GET', '/accounts', undefined, person)).status === 200;
}

beforeAll(async () => {
  write([newKey('first')]);
  app = await startApp({ JWT_KEYS_FILE: file });
});

afterAll(async () => {
  await app.stop();
  rmSync(folder, { recursive: true });
});

test('200: a rotated key is published before it signs, then signs, and no valid token is refused', async () => {
  write([newKey('first')]);
  await until(async () => (await publishedKids()).join() === 'first');
  const before = await createMerchant(app);
  rotate();
  const [added] = read();
  await until(async () => (await publishedKids()).length === 2);
  expect(await publishedKids()).toEqual([added?.kid, 'first']);
  const meanwhile = await createMerchant(app);
  expect([kidOf(before), kidOf(meanwhile)]).toEqual(['first', 'first']);
  write(read().map((key) => ({ ...key, signs_from: 0 })));
  await until(async () => kidOf(await createMerchant(app)) === added?.kid);
  expect(await Promise.all([before, meanwhile].map(isSignedIn))).toEqual([true, true]);
});

test('200: a replica that has not looked yet knows a key that another already signs with', async () => {
  const { SigningKeys } = await import('../../../src/adapters/signingKeys.js');
  write([newKey('old')]);
  const replica = new SigningKeys(readFileSync(file, 'utf8'), file);
  expect(replica.all().map(({ kid }) => kid)).toEqual(['old']);
  write([newKey('new'), ...read()]);
  expect(replica.find('new')?.kid).toBe('new');
  expect(replica.find('never')).toBeUndefined();
});

test('401 invalid_auth_token: of a key that was taken out, within seconds, however often its token was seen', async () => {
  write([newKey('stolen')]);
  await until(async () => (await publishedKids()).join() === 'stolen');
  const thief = await createMerchant(app);
  expect([kidOf(thief), await isSignedIn(thief)]).toEqual(['stolen', true]);
  write([newKey('fresh')]);
  await until(async () => !(await isSignedIn(thief)));
  expect(await isSignedIn(await createMerchant(app))).toBe(true);
});

test('401 invalid_auth_token: with --at-once, each older key ends within seconds, and refresh tokens give tokens of the new key', async () => {
  write([newKey('leaked')]);
  await until(async () => (await publishedKids()).join() === 'leaked');
  const person = await createMerchant(app);
  expect(rotate('--at-once')).toMatch(/signs now, and is the only key/);
  expect(read()).toHaveLength(1);
  await until(async () => !(await isSignedIn(person)));
  const renewal = { grant_type: 'refresh_token', client_id: 'platform', refresh_token: person.refreshToken };
  const { body } = await call<{ access_token: string }>(app, 'POST', '/accounts/authenticate', renewal);
  const renewed = { ...person, token: body.access_token };
  expect([kidOf(renewed), await isSignedIn(renewed)]).toEqual([read()[0]?.kid, true]);
});

test('200: a file that cannot be read leaves the keys as they are', async () => {
  write([newKey('good')]);
  await until(async () => (await publishedKids()).join() === 'good');
  writeFileSync(file, 'half a fi');
  const merchant = await createMerchant(app);
  write([newKey('next')]);
  await until(async () => (await publishedKids()).join() === 'next');
  expect(kidOf(merchant)).toBe('good');
});

test('the command puts a new key first, keeps the file’s mode, and drops a key 31 days after it stopped signing', () => {
  const days = (count: number) => Math.floor(Date.now() / 1000) - count * 86_400;
  write([
    { ...newKey('signing'), signs_from: days(30) },
    { ...newKey('verifying'), signs_from: days(32) },
    { ...newKey('needless'), signs_from: days(70) },
  ]);
  expect(rotate()).toMatch(/signs in a minute; 2 older/);
  const [added, ...kept] = read();
  expect(kept.map(({ kid }) => kid)).toEqual(['signing', 'verifying']);
  expect(added?.signs_from).toBeGreaterThan(days(0) + 50);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('a lost file is made again with one key, and only its owner reads it', () => {
  rmSync(file);
  rotate('--at-once');
  expect(read()).toEqual([expect.objectContaining({ alg: 'ES256', use: 'sig' })]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});
