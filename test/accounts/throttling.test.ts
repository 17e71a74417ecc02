import { randomBytes } from 'node:crypto';
import { call, type Reply } from '../support/client';
import { type Person, registration } from '../support/factories';
import { letPass } from '../support/guesses';
import { keyPair } from '../support/keys';
import { type ErrorBody } from '../support/raw';
import { type Replica, startReplica } from '../support/replica';
import { startApp, type TestApp } from '../support/startApp';
import { cloneConsumer, createWorld, type World } from '../support/world';

/** Guesses and requests for mails are limited by account and by address, for all replicas together. */

const failuresOfAddress = 6;

let app: TestApp;
let other: Replica;
let world: World;

beforeAll(async () => {
  app = await startApp({
    JWT_KEYS: JSON.stringify([keyPair('shared').jwk]),
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    RATE_LIMIT_FAILURES: String(failuresOfAddress - 1),
    RATE_LIMIT_MAILS: '3',
    TRUSTED_PROXIES: '127.0.0.1',
  });
  other = await startReplica();
  world = await createWorld(app);
});

afterAll(async () => {
  await other.stop();
  await app.stop();
});

beforeEach(() => app.pool.query('DELETE FROM wrong_guesses'));

let lastAddress = 0;

function newAddress(): string {
  lastAddress += 1;
  return `203.0.113.${lastAddress}`;
}

interface Door {
  method: 'POST';
  path: string;
  fields: (person: Person) => Record<string, unknown>;
  isSignedIn?: true;
  /** The status of a wrong guess, or of an accepted request for a mail. */
  answers: number;
}

const doors = {
  'a sign-in': {
    method: 'POST',
    path: '/accounts/authenticate',
    fields: ({ email, merchantUuid: client_id }) => ({
      grant_type: 'password',
      client_id,
      username: email,
      password: 'wrong-battery-staple',
    }),
    answers: 401,
  },
  'a registration': {
    method: 'POST',
    path: '/accounts',
    fields: ({ email, merchantUuid }) => ({ ...registration('consumer', merchantUuid), username: email }),
    answers: 409,
  },
  'a pin code': {
    method: 'POST',
    path: '/v2/accounts/pin-codes/validate',
    fields: () => ({ pin_code: '123456' }),
    isSignedIn: true,
    answers: 422,
  },
  'a voucher': {
    method: 'POST',
    path: '/vouchers/discount',
    fields: () => ({ voucher_code: 'NOBODY-KNOWS', access_fee_id: world.fee.id }),
    isSignedIn: true,
    answers: 404,
  },
} satisfies Record<string, Door>;

const mails = {
  'a new password': {
    method: 'POST',
    path: '/accounts/forgot-password',
    fields: ({ email, merchantUuid: merchant_uuid }) => ({ email, merchant_uuid }),
    answers: 200,
  },
  'an activation': {
    method: 'POST',
    path: '/accounts/activate',
    fields: ({ email, merchantUuid: merchant_uuid }) => ({ email, merchant_uuid }),
    answers: 200,
  },
  'a pin code': {
    method: 'POST',
    path: '/v2/accounts/pin-codes/send',
    fields: () => ({}),
    isSignedIn: true,
    answers: 200,
  },
} satisfies Record<string, Door>;

function knock(replica: Pick<TestApp, 'address'>, door: Door, person: Person, address: string) {
  const options = { headers: { 'X-Forwarded-For': address }, ...(door.isSignedIn && { token: person.token }) };
  return call<ErrorBody>(replica, door.method, door.path, door.fields(person), options);
}

function expectToWait({ status, headers, body }: Reply<ErrorBody>): void {
  expect({ status, body }).toEqual({
    status: 429,
    body: { code: 429, message: 'Too many requests', error: 'too_many_requests', explain: 'Too many requests' },
  });
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(30);
}

const turns = (count: number) => Array.from({ length: count }, (_, turn) => (turn % 2 === 0 ? app : other));

async function inTurns(count: number, ask: (replica: Pick<TestApp, 'address'>) => Promise<Reply<ErrorBody>>) {
  const statuses: number[] = [];
  for (const replica of turns(count)) statuses.push((await ask(replica)).status);
  return statuses;
}

const allOf = (status: number, count: number) => Array<number>(count).fill(status);

describe.each<[string, Door]>(Object.entries(doors))('429 too_many_requests: who guesses at %s', (_what, door) => {
  test('of one account waits, wherever the guesses come from', async () => {
    const person = await cloneConsumer(world);
    const guess = (replica: Pick<TestApp, 'address'>) => knock(replica, door, person, newAddress());
    expect(await inTurns(6, guess)).toEqual(allOf(door.answers, 6));
    await letPass(app, '-1 minute');
    for (const replica of [app, other]) expectToWait(await guess(replica));
    const neighbour = await cloneConsumer(world);
    expect((await knock(other, door, neighbour, newAddress())).status).toBe(door.answers);
  });

  test('from one address waits, whatever the account', async () => {
    const address = newAddress();
    const guess = async (replica: Pick<TestApp, 'address'>) =>
      knock(replica, door, await cloneConsumer(world), address);
    expect(await inTurns(failuresOfAddress, guess)).toEqual(allOf(door.answers, failuresOfAddress));
    await letPass(app, '-1 minute');
    for (const replica of [app, other]) expectToWait(await guess(replica));
    expect((await knock(other, door, await cloneConsumer(world), newAddress())).status).toBe(door.answers);
  });
});

test.each<[string, Door]>(Object.entries(mails))(
  '429 too_many_requests: who asks for mails with %s gets three an hour, at whatever replica',
  async (_what, door) => {
    const person = await cloneConsumer(world);
    await app.pool.query('UPDATE accounts SET activated_at = NULL WHERE id = $1', [person.id]);
    const ask = (replica: Pick<TestApp, 'address'>) => knock(replica, door, person, newAddress());
    expect(await inTurns(3, ask)).toEqual(allOf(200, 3));
    for (const replica of [app, other]) expectToWait(await ask(replica));
  },
);

test('429 too_many_requests: an address that waits learns nothing of one that is free, and makes no account', async () => {
  const address = newAddress();
  for (let time = 0; time < failuresOfAddress; time += 1)
    await knock(app, doors['a registration'], await cloneConsumer(world), address);
  await letPass(app, '-1 minute');
  const nobody = { ...world.consumer, email: registration('consumer', world.merchant.uuid).username };
  expectToWait(await knock(app, doors['a registration'], nobody, address));
  expect((await knock(app, doors['a registration'], nobody, newAddress())).status).toBe(200);
});

test('20 a minute and address: whatever may be guessed at, and whatever sends a mail to whom a stranger names', async () => {
  const { routes } = await import('../../src/endpoints.js');
  const paths = [...Object.values(doors), ...Object.values(mails)].map(({ path }) => path);
  const limited = routes
    .filter(({ endpoint }) => endpoint.limit !== undefined && endpoint.limit !== 'normal')
    .map(({ endpoint }) => endpoint.path);
  expect(paths.filter((path) => !limited.includes(path))).toEqual(['/vouchers/discount']);
});
