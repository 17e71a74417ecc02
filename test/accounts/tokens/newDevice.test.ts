import { call } from '../../support/client';
import { createConsumer, createMerchant, password, type Person } from '../../support/factories';
import { receives, tokenIn } from '../../support/mailbox';
import { authenticateBySecret, createApp } from '../../support/oauthApps';
import { enterOperator } from '../../support/operators';
import { answerPairing, poll, startPairing } from '../../support/pairings';
import { addPasskey, signInByPasskey } from '../../support/passkeys';
import { iPhone, signInAgain } from '../../support/sessions';
import { createStaff } from '../../support/staff';
import { startApp, type TestApp } from '../../support/startApp';

/** The mail to the owner of an account after a sign-in on a new device. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const atPlatform = (person: Person): Person => ({ ...person, merchantUuid: 'platform' });

const people: [who: string, create: () => Promise<Person>][] = [
  ['a consumer', async () => createConsumer(app, await createMerchant(app))],
  ['a merchant', () => createMerchant(app)],
  [
    'a member of the staff',
    async () => atPlatform(await createStaff(app, await createMerchant(app), { role: 'admin' })),
  ],
  ['an operator', () => enterOperator(app)],
];

async function countMails({ id }: Pick<Person, 'id'>): Promise<number> {
  const { rows } = await app.pool.query<{ mails: number }>(
    `SELECT count(*)::int AS mails FROM mails m JOIN accounts a ON a.id = m.account_id AND a.email = m.recipient
     WHERE m.account_id = $1 AND m.template = 'new_sign_in'`,
    [id],
  );
  return rows[0]?.mails ?? 0;
}

test.each(people)('new_sign_in: %s is told of a sign-in on a new device, and of no other', async (_who, create) => {
  const person = await create();
  await signInAgain(app, person, iPhone);
  expect(await countMails(person)).toBe(1);
  await signInAgain(app, person, iPhone);
  expect(await countMails(person)).toBe(1);
  await signInAgain(app, person, 'Mozilla/5.0 (X11; Linux x86_64)');
  expect(await countMails(person)).toBe(2);
});

/** As if the account had signed in on a television only. */
const useAnotherDevice = ({ id }: Person) =>
  app.pool.query(`UPDATE sessions SET device_type = 'tv' WHERE account_id = $1`, [id]);

test('new_sign_in: by a passkey', async () => {
  const person = await createConsumer(app, await createMerchant(app));
  const { authenticator } = await addPasskey(app, person);
  await useAnotherDevice(person);
  expect((await signInByPasskey(app, person, authenticator)).status).toBe(200);
  expect(await countMails(person)).toBe(1);
});

test('new_sign_in: by a mailed link', async () => {
  const merchant = await createMerchant(app);
  const person = await createConsumer(app, merchant);
  await call(app, 'POST', '/accounts/sign-in-link', { merchant_uuid: merchant.uuid, email: person.email });
  const token = tokenIn(await receives(app, merchant, person.email, 'sign_in_link'));
  await useAnotherDevice(person);
  const reply = await call(app, 'PUT', `/accounts/sign-in-link/${token}`, { client_id: merchant.uuid });
  expect(reply.status).toBe(200);
  expect(await countMails(person)).toBe(1);
});

test('new_sign_in: of a television', async () => {
  const merchant = await createMerchant(app);
  const person = await createConsumer(app, merchant);
  const { body: started } = await startPairing(app, merchant.uuid);
  expect((await answerPairing(app, started.user_code, person)).status).toBe(200);
  expect((await poll(app, merchant.uuid, started.device_code)).status).toBe(200);
  expect(await countMails(person)).toBe(1);
});

test('new_sign_in: the session of an app’s secret makes no device known', async () => {
  const merchant = await createMerchant(app);
  const own = await createApp(app, merchant);
  expect((await authenticateBySecret(app, own.client_id, own.secret)).status).toBe(200);
  const signIn = { grant_type: 'password', client_id: 'platform', username: merchant.email, password };
  const headers = { 'User-Agent': '' };
  expect((await call(app, 'POST', '/accounts/authenticate', signIn, { headers })).status).toBe(200);
  expect(await countMails(merchant)).toBe(1);
});
