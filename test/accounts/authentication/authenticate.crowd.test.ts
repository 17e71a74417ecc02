import { randomUUID } from 'node:crypto';
import { call } from '../../support/client';
import { createShop, password, type Shop } from '../../support/factories';
import { PageWalker } from '../../support/pageWalker';
import { realTimers } from '../../support/realTimers';
import { startApp, type TestApp } from '../../support/startApp';

/**
 * Many people share one address: on a campus, in a house, behind the carrier of a mobile network. 2,000 viewers sign in
 * within five minutes, with the limits that the service has without settings.
 */

const viewersOfMinute = 400;
const defaults = [
  'RATE_LIMIT_CREDENTIALS',
  'RATE_LIMIT_SIGN_INS',
  'RATE_LIMIT_NORMAL',
  'RATE_LIMIT_ANONYMOUS',
  'RATE_LIMIT_FAILURES',
];
const minuteMs = 60_000;
let minuteStartsAt = Math.floor(Date.now() / minuteMs) * minuteMs;
let app: TestApp;
let shop: Shop;

/** Only this moves the clock, so that no minute ends by itself. Timers run as usual. */
const nextMinute = () => jest.setSystemTime((minuteStartsAt += minuteMs));

beforeAll(async () => {
  jest.useFakeTimers({ now: minuteStartsAt, doNotFake: realTimers });
  app = await startApp(Object.fromEntries(defaults.map((name) => [name, ''])));
  shop = await createShop(app);
});
beforeEach(nextMinute);
afterAll(async () => {
  await app.stop();
  jest.useRealTimers();
});

/** Viewers with the password of the shop’s customer, as an import would insert them. */
async function createViewers(count: number): Promise<string[]> {
  const emails = Array.from({ length: count }, () => `viewer-${randomUUID()}@example.org`);
  await app.pool.query(
    `INSERT INTO accounts (uuid, merchant_id, merchant_uuid, role, email, email_normalized, full_name, password_hash)
     SELECT gen_random_uuid(), merchant_id, merchant_uuid, role, email_sent, email_sent, full_name, password_hash
     FROM accounts, unnest($2::text[]) AS email_sent WHERE id = $1`,
    [shop.consumer.id, emails],
  );
  return emails;
}

/** The answers of all viewers that are not the expected ones. Sixteen come at once. */
async function refusals(viewers: string[], come: (email: string) => Promise<number[]>, expected: number[]) {
  const wrong: number[][] = [];
  for (let from = 0; from < viewers.length; from += 16) {
    const answers = await Promise.all(viewers.slice(from, from + 16).map(come));
    wrong.push(...answers.filter((statuses) => statuses.join() !== expected.join()));
  }
  return wrong;
}

const signIn = (username: string, given: string) =>
  call(app, 'POST', '/accounts/authenticate', {
    client_id: shop.merchant.uuid,
    grant_type: 'password',
    username,
    password: given,
  });

test('200: 2,000 viewers of apps see the item and sign in within five minutes, and guessing is stopped as before', async () => {
  const { item, merchant } = shop;
  const come = async (email: string) => {
    const shown = await call(app, 'GET', `/items/${merchant.uuid}/${item.id}`);
    return [shown.status, (await signIn(email, password)).status];
  };
  const viewers = await createViewers(5 * viewersOfMinute);
  for (let minute = 0; minute < 5; minute += 1, nextMinute()) {
    const coming = viewers.slice(minute * viewersOfMinute, (minute + 1) * viewersOfMinute);
    expect(await refusals(coming, come, [200, 200])).toEqual([]);
  }
  const guesses: number[] = [];
  // Each attempt names another account, so that only the address is counted.
  for (const email of viewers.slice(0, 22)) guesses.push((await signIn(email, 'wrong-battery')).status);
  expect(guesses).toEqual([...Array<number>(20).fill(401), 429, 429]);
});

test('303: the viewers of one of these minutes sign in at the paywall', async () => {
  const path = `/paywall/${shop.merchant.uuid}/${shop.item.id}`;
  const come = async (username: string) => {
    const walker = new PageWalker(app);
    const first = await walker.open(`${path}?step=sign-in`);
    const entered = await walker.submit(`${path}/sign-in`, { username, password });
    return [first.status, entered.status, (await walker.open(path)).status];
  };
  expect(await refusals(await createViewers(viewersOfMinute), come, [200, 303, 200])).toEqual([]);
});
