import { createHmac, randomUUID, sign } from 'node:crypto';
import jsonwebtoken, { type JwtPayload } from 'jsonwebtoken';
import { call } from '../../support/client';
import { createConsumer, createMerchant, type Person } from '../../support/factories';
import { keyPair } from '../../support/keys';
import { startApp, type TestApp } from '../../support/startApp';
import { until } from '../../support/until';

const signing = keyPair('signing');
const older = keyPair('older');
const foreign = keyPair('signing');

let app: TestApp;
let consumer: Person;
let genuine: JwtPayload;

beforeAll(async () => {
  app = await startApp({ JWT_KEYS: JSON.stringify([signing.jwk, older.jwk]) });
  consumer = await createConsumer(app, await createMerchant(app));
  genuine = jsonwebtoken.decode(consumer.token) as JwtPayload;
});

afterAll(() => app.stop());

interface Changes {
  claims?: object;
  header?: object;
  key?: typeof signing;
}

/** A genuine token with some changes. A claim or header that is undefined is left out. */
function forge({ claims, header, key = signing }: Changes = {}): string {
  const head = { alg: 'ES256', typ: 'at+jwt', kid: 'signing', ...header };
  const signed = `${encode(head)}.${encode({ ...genuine, ...claims })}`;
  const signature = sign('sha256', Buffer.from(signed), { key: key.privateKey, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

function unsigned(alg: string): string {
  return `${encode({ alg, typ: 'at+jwt', kid: 'signing' })}.${encode(genuine)}.`;
}

/** The classic confusion: the public key, which everyone has, used as the secret of an HMAC. */
function withPublicKeyAsSecret(): string {
  const signed = `${encode({ alg: 'HS256', typ: 'at+jwt', kid: 'signing' })}.${encode(genuine)}`;
  const secret = signing.publicKey.export({ type: 'spki', format: 'pem' });
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

const ask = async (token: string) => call(app, 'GET', '/accounts', undefined, { token });

test('200: the token that the attacks below change passes, so it is the change that is refused', async () => {
  expect((await ask(forge())).status).toBe(200);
});

test('200: a key that no longer signs still verifies', async () => {
  expect((await ask(forge({ header: { kid: 'older' }, key: older }))).status).toBe(200);
});

test('401 invalid_auth_token: other claims under the signature of a token that has just passed', async () => {
  const [head = '', , signature = ''] = consumer.token.split('.');
  expect((await ask(consumer.token)).status).toBe(200);
  for (const claims of [{ exp: Number(genuine.exp) + 3600 }, { pid: 1 }, { role: 'merchant' }])
    expect((await ask(`${head}.${encode({ ...genuine, ...claims })}.${signature}`)).status).toBe(401);
  expect((await ask(consumer.token)).status).toBe(200);
});

const hourAgo = Math.floor(Date.now() / 1000) - 3600;

test.each<[string, () => string]>([
  ['alg none', () => unsigned('none')],
  ['alg None', () => unsigned('None')],
  ['no signature', () => consumer.token.split('.').slice(0, 2).join('.') + '.'],
  ['two parts', () => consumer.token.split('.').slice(0, 2).join('.')],
  ['HS256 with the public key as its secret', withPublicKeyAsSecret],
  [
    'HS256 with an empty secret',
    () => `${unsigned('HS256')}${createHmac('sha256', '').update('x').digest('base64url')}`,
  ],
  ['another key under our kid', () => forge({ key: foreign })],
  ['an unknown kid', () => forge({ header: { kid: 'unknown' } })],
  ['no kid', () => forge({ header: { kid: undefined } })],
  ['a kid that is a path', () => forge({ header: { kid: '../../dev/null' } })],
  ['a key that came along', () => forge({ key: foreign, header: { kid: 'mine', jwk: foreign.jwk } })],
  ['the typ of another token', () => forge({ header: { typ: 'JWT' } })],
  ['another audience', () => forge({ claims: { aud: 'another-api' } })],
  ['no audience', () => forge({ claims: { aud: undefined } })],
  ['another issuer', () => forge({ claims: { iss: 'https://evil.example' } })],
  ['no issuer', () => forge({ claims: { iss: undefined } })],
  ['expired', () => forge({ claims: { exp: hourAgo } })],
  ['no expiry', () => forge({ claims: { exp: undefined } })],
  ['not valid yet', () => forge({ claims: { nbf: hourAgo + 7200 } })],
  ['no session', () => forge({ claims: { sid: undefined } })],
  ['a session that never was', () => forge({ claims: { sid: randomUUID() } })],
  ['a session that is no uuid', () => forge({ claims: { sid: "x' OR '1'='1" } })],
  ['a signature cut short', () => consumer.token.slice(0, -4)],
  [
    'a signature with one bit more',
    () => `${consumer.token.slice(0, -2)}${consumer.token.endsWith('AA') ? 'BB' : 'AA'}`,
  ],
  [
    'the signature of another token',
    () =>
      `${forge({ claims: { role: 'merchant' } })
        .split('.')
        .slice(0, 2)
        .join('.')}.${consumer.token.split('.')[2]}`,
  ],
  ['more than 4,096 characters', () => forge({ claims: { filler: 'x'.repeat(4096) } })],
  ['no token of any kind', () => 'correct-horse-battery'],
  ['the refresh token', () => consumer.refreshToken],
])('401 invalid_auth_token: %s', async (_what, make) => {
  const { status, body } = await ask(make());
  expect({ status, body }).toEqual({
    status: 401,
    body: { code: 401, message: 'Invalid auth token', error: 'invalid_auth_token', explain: 'Invalid auth token' },
  });
});

test('200: what a claim says of role, account or merchant does not count; the session does', async () => {
  const claims = { role: 'merchant', sub: randomUUID(), mid: randomUUID(), scope: 'items:write' };
  const token = forge({ claims });
  expect((await ask(token)).body).toMatchObject({ id: consumer.id, uuid: consumer.uuid, roles: ['consumer'] });
  const item = { item_type: 'html_asset', title: 'x' };
  expect((await call(app, 'POST', '/v2/items', item, { token })).status).toBe(403);
});

describe('a session', () => {
  const sessionOf = (person: Person) => (jsonwebtoken.decode(person.token) as JwtPayload)['sid'] as string;

  test.each([
    ['that another replica ended', `UPDATE sessions SET revoked_at = now() WHERE id = $1`],
    ['that is past its time', `UPDATE sessions SET expires_at = now() - interval '1 second' WHERE id = $1`],
    [
      'whose account was closed',
      `UPDATE accounts SET is_active = false WHERE id = (SELECT account_id FROM sessions WHERE id = $1)`,
    ],
  ])('401 invalid_auth_token: one %s', async (_what, change) => {
    const person = await createConsumer(app, await createMerchant(app));
    expect((await ask(person.token)).status).toBe(200);
    await app.pool.query(change, [sessionOf(person)]);
    await app.pool.query(`SELECT pg_notify('sessions', $1)`, [sessionOf(person)]);
    await until(async () => (await ask(person.token)).status === 401);
  });

  test('401 invalid_auth_token: five seconds after it ended even when no word of it came', async () => {
    const person = await createConsumer(app, await createMerchant(app));
    expect((await ask(person.token)).status).toBe(200);
    await app.pool.query('UPDATE sessions SET revoked_at = now() WHERE id = $1', [sessionOf(person)]);
    const later = Date.now() + 5_001;
    const clock = jest.spyOn(Date, 'now').mockReturnValue(later);
    try {
      expect((await ask(person.token)).status).toBe(401);
    } finally {
      clock.mockRestore();
    }
  });
});

test('401 invalid_auth_token: a session that ended while it was being read is not remembered', async () => {
  const merchant = await createMerchant(app);
  const person = await createConsumer(app, merchant);
  const { sid } = jsonwebtoken.decode(person.token) as JwtPayload;
  const { pool } = await import('../../../src/adapters/postgres/connection.js');
  const { forgetAccount, forgetAllSessions, forgetSession } = await import('../../../src/accounts/tokens/callers.js');
  const query = pool.query.bind(pool) as (text: unknown) => Promise<unknown>;
  const forget = [() => forgetSession(sid as string), () => forgetAccount(person.id), forgetAllSessions];
  for (const forgetting of forget) {
    await app.pool.query('UPDATE sessions SET revoked_at = NULL WHERE id = $1', [sid]);
    forgetAllSessions();
    const slow = jest.spyOn(pool, 'query').mockImplementation((async (text: { name?: string }) => {
      const found = await query(text);
      if (text.name !== 'session_callers') return found;
      await app.pool.query('UPDATE sessions SET revoked_at = now() WHERE id = $1', [sid]);
      forgetting();
      return found;
    }) as never);
    await ask(person.token).finally(() => slow.mockRestore());
    expect((await ask(person.token)).status).toBe(401);
  }
});

test('401 invalid_auth_token: the five seconds begin before a slow reading, not after it', async () => {
  const person = await createConsumer(app, await createMerchant(app));
  const { sid } = jsonwebtoken.decode(person.token) as JwtPayload;
  const { pool } = await import('../../../src/adapters/postgres/connection.js');
  const { forgetAllSessions } = await import('../../../src/accounts/tokens/callers.js');
  const query = pool.query.bind(pool) as (text: unknown) => Promise<unknown>;
  forgetAllSessions();
  const clock = jest.spyOn(Date, 'now');
  const slow = jest.spyOn(pool, 'query').mockImplementation((async (text: { name?: string }) => {
    const found = await query(text);
    if (text.name === 'session_callers') clock.mockReturnValue(performance.timeOrigin + performance.now() + 6_000);
    return found;
  }) as never);
  try {
    await ask(person.token).finally(() => slow.mockRestore());
    await app.pool.query('UPDATE sessions SET revoked_at = now() WHERE id = $1', [sid]);
    expect((await ask(person.token)).status).toBe(401);
  } finally {
    clock.mockRestore();
  }
});
