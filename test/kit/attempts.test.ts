import { z } from 'zod';
import { anyone } from '../../src/kit/auth';
import { endpoint } from '../../src/kit/endpoint';
import { AppError } from '../../src/kit/errors';
import { Message, message } from '../../src/kit/page';
import { RateLimiter } from '../../src/kit/rateLimit';
import { call } from '../support/client';
import { type Kit, startKit } from '../support/kit';

/** The limits of the settings, with a sign-in whose password costs nothing to check. */

const limits = { credentials: 20, signIns: 1200, registrations: 120, normal: 600, anonymous: 6000 };
const minuteMs = 60_000;
const clock = { atMs: Date.UTC(2026, 0, 1, 12, 0, 0) };

/** Adds up as the database does, for each minute. */
function sharedCounts() {
  const totals = new Map<string, number>();
  return {
    add: (counts: ReadonlyMap<string, number>, windowStartsAt: Date) => {
      const added = [...counts].map(([key, count]): [string, number] => {
        const place = `${windowStartsAt.toISOString()} ${key}`;
        totals.set(place, (totals.get(place) ?? 0) + count);
        return [key, totals.get(place) ?? 0];
      });
      return Promise.resolve(new Map(added));
    },
  };
}

const attempt = (path: string, limit: 'credentials' | 'registrations' | 'mails') =>
  endpoint({
    method: 'post',
    path,
    summary: 'Checks a password',
    auth: anyone(),
    limit,
    body: z.object({ password: z.string() }),
    status: 200,
    response: Message,
    errors: ['invalid_credentials'],
    handler: ({ body }) =>
      body.password === 'right'
        ? Promise.resolve(message('Welcome'))
        : Promise.reject(new AppError('invalid_credentials')),
  });

let kit: Kit;
let limiter: RateLimiter;

beforeEach(async () => {
  limiter = new RateLimiter(sharedCounts(), () => clock.atMs);
  clock.atMs += minuteMs;
  const declared = {
    signIn: attempt('/sign-in', 'credentials'),
    register: attempt('/register', 'registrations'),
    mail: attempt('/mail', 'mails'),
  };
  kit = await startKit(declared, { rateLimiter: limiter, limits });
});

afterEach(async () => {
  await kit.stop();
  limiter.stop();
});

const send = (path: string, password: string) => call(kit, 'POST', path, { password });

async function statusesOf(path: string, password: string, times: number, atOnce = 1): Promise<number[]> {
  const statuses: number[] = [];
  while (statuses.length < times) {
    const answers = await Promise.all(Array.from({ length: atOnce }, () => send(path, password)));
    statuses.push(...answers.map(({ status }) => status));
  }
  return statuses;
}

const count = (statuses: readonly number[], status: number) => statuses.filter((one) => one === status).length;

test('200: 2,000 viewers behind one address sign in within five minutes', async () => {
  for (let minute = 0; minute < 5; minute += 1) {
    expect(count(await statusesOf('/sign-in', 'right', 400, 20), 200)).toBe(400);
    clock.atMs += minuteMs;
  }
}, 120_000);

test('429 too_many_requests: the twenty-first wrong password of a minute, and no password works after it', async () => {
  await statusesOf('/sign-in', 'right', 100, 20);
  const wrong = await statusesOf('/sign-in', 'wrong', 25);
  expect([count(wrong, 401), count(wrong, 429)]).toEqual([20, 5]);
  expect((await send('/sign-in', 'right')).status).toBe(429);
  clock.atMs += minuteMs;
  expect((await send('/sign-in', 'right')).status).toBe(200);
});

test('429 too_many_requests: of 200 wrong passwords at once, 20 are told', async () => {
  const wrong = await statusesOf('/sign-in', 'wrong', 200, 200);
  expect([count(wrong, 401), count(wrong, 429)]).toEqual([20, 180]);
});

test('429 too_many_requests: wrong passwords and refused registrations share one count', async () => {
  await statusesOf('/sign-in', 'wrong', 10);
  expect(await statusesOf('/register', 'wrong', 11)).toEqual([...Array<number>(10).fill(401), 429]);
});

test('429 too_many_requests: correct passwords have a limit far above', async () => {
  expect(count(await statusesOf('/sign-in', 'right', 1220, 20), 200)).toBe(1200);
  expect(count(await statusesOf('/register', 'right', 130, 10), 200)).toBe(120);
}, 120_000);

test('429 too_many_requests: a request that mails somebody counts also when it succeeds', async () => {
  expect(count(await statusesOf('/mail', 'right', 25), 200)).toBe(20);
  expect((await send('/sign-in', 'right')).status).toBe(200);
});
