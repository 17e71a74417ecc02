import { randomUUID } from 'node:crypto';
import { call } from '../../support/client';
import { createConsumer, createMerchant, password, type Person } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

/** Many people share one address: on a campus, in a house, behind the carrier of a mobile network. */

const attempts = 20;
let app: TestApp;
let merchant: Person;

beforeAll(async () => {
  app = await startApp({ RATE_LIMIT_CREDENTIALS: String(attempts), RATE_LIMIT_SIGN_INS: '1200' });
  merchant = await createMerchant(app);
});

afterAll(() => app.stop());

const signIn = (username: string, given: string) =>
  call(app, 'POST', '/accounts/authenticate', {
    client_id: merchant.uuid,
    grant_type: 'password',
    username,
    password: given,
  });

/** Viewers with the password of the first one, as an import would insert them. */
async function createViewers(count: number): Promise<string[]> {
  const first = await createConsumer(app, merchant);
  const emails = Array.from({ length: count }, () => `viewer-${randomUUID()}@example.org`);
  await app.pool.query(
    `INSERT INTO accounts (uuid, merchant_id, merchant_uuid, role, email, email_normalized, full_name, password_hash)
     SELECT gen_random_uuid(), merchant_id, merchant_uuid, role, email_sent, email_sent, full_name, password_hash
     FROM accounts, unnest($2::text[]) AS email_sent WHERE id = $1`,
    [first.id, emails],
  );
  return emails;
}

test('200: far more viewers than wrong passwords a minute sign in, and guessing is stopped as before', async () => {
  const viewers = await createViewers(attempts * 8);
  for (let from = 0; from < viewers.length; from += 16) {
    const some = await Promise.all(viewers.slice(from, from + 16).map((email) => signIn(email, password)));
    expect(some.map(({ status }) => status)).toEqual(some.map(() => 200));
  }
  const guesses: number[] = [];
  // Each attempt names another account, so that only the address is counted. The minute can end once during the test.
  for (const email of viewers.slice(0, attempts * 2 + 1)) guesses.push((await signIn(email, 'wrong-battery')).status);
  expect(guesses).toContain(429);
});
