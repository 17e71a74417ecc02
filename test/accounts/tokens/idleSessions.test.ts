import { call } from '../../support/client';
import { createConsumer, createMerchant, type Person } from '../../support/factories';
import { authenticateBySecret, createApp } from '../../support/oauthApps';
import { enterOperator } from '../../support/operators';
import { isSignedIn, listSessions, sessionOf, signInAgain } from '../../support/sessions';
import { createStaff } from '../../support/staff';
import { startApp, type TestApp } from '../../support/startApp';

/** A session of a person ends after 45 minutes without use: by the setting of the merchant, and by that of the installation. */
const minutes = 45;

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ OPERATOR_IDLE_MINUTES: String(minutes) });
});
afterAll(() => app.stop());

async function createStrict(): Promise<Person> {
  const merchant = await createMerchant(app);
  await call(app, 'PUT', '/accounts/settings', { session_idle_minutes: minutes }, merchant);
  return merchant;
}

const atPlatform = (person: Person): Person => ({ ...person, merchantUuid: 'platform' });

const people: [who: string, create: () => Promise<Person>][] = [
  ['a consumer', async () => createConsumer(app, await createStrict())],
  ['a merchant', createStrict],
  ['a member of the staff', async () => atPlatform(await createStaff(app, await createStrict(), { role: 'admin' }))],
  ['an operator', () => enterOperator(app)],
];

const unuse = (person: Person, unusedMinutes: number) =>
  app.pool.query('UPDATE sessions SET last_used_at = now() - make_interval(mins => $2) WHERE id = $1', [
    sessionOf(person),
    unusedMinutes,
  ]);

const renew = ({ merchantUuid, refreshToken }: Person) =>
  call(app, 'POST', '/accounts/authenticate', {
    ...{ grant_type: 'refresh_token', client_id: merchantUuid, refresh_token: refreshToken },
  });

const newSession = async (person: Person, unusedMinutes: number) => {
  const session = await signInAgain(app, person);
  await unuse(session, unusedMinutes);
  return session;
};

describe.each(people)('%s', (_who, create) => {
  test('401 invalid_auth_token: after the time without use, exactly and longer; and 200 before', async () => {
    const person = await create();
    expect(await isSignedIn(app, await newSession(person, minutes - 1))).toBe(true);
    const unused = await newSession(person, minutes);
    const { status, body } = await call(app, 'GET', '/accounts', undefined, unused);
    expect({ status, body }).toMatchObject({ status: 401, body: { error: 'invalid_auth_token' } });
    expect(await isSignedIn(app, await newSession(person, minutes + 1))).toBe(false);
  });

  test('401 invalid_refresh_token: an unused session is not renewed', async () => {
    const person = await create();
    expect((await renew(await newSession(person, minutes - 1))).status).toBe(200);
    const { status, body } = await renew(await newSession(person, minutes));
    expect({ status, body }).toMatchObject({ status: 401, body: { error: 'invalid_refresh_token' } });
  });

  test('200: the list of sessions has none that has ended in this way', async () => {
    const person = await create();
    const [used, unused] = [await newSession(person, minutes - 1), await newSession(person, minutes)];
    const listed = (await listSessions(app, await signInAgain(app, person))).collection.map(({ id }) => id);
    expect(listed).toContain(sessionOf(used));
    expect(listed).not.toContain(sessionOf(unused));
  });
});

test('200: sessions that an app opened with its secret have no such limit', async () => {
  const merchant = await createStrict();
  const own = await createApp(app, merchant);
  const { body } = await authenticateBySecret(app, own.client_id, own.secret);
  const server = { ...merchant, token: body.access_token };
  await unuse(server, 100_000);
  expect(await isSignedIn(app, server)).toBe(true);
  const listed = (await listSessions(app, merchant)).collection.map(({ id }) => id);
  expect(listed).toContain(sessionOf(server));
});
