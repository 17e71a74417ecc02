import { randomUUID } from 'node:crypto';
import { createConsumer, type Person } from '../../support/factories';
import { startGraphServer, type GraphServer } from '../../support/graphServer';
import { accountOf, appRedirect, createSite, follow, linkOf, membersOf } from '../../support/socialSignIn';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
let graph: GraphServer;
let merchant: Person;

beforeAll(async () => {
  graph = await startGraphServer('secret');
  const facebook = {
    name: 'facebook',
    client_id: 'paywall',
    client_secret: 'secret',
    authorization_endpoint: `${graph.address}/dialog/oauth`,
    token_endpoint: `${graph.address}/oauth/access_token`,
    profile_endpoint: `${graph.address}/me`,
  };
  app = await startApp({ SOCIAL_PROVIDERS: JSON.stringify([facebook]) });
  merchant = await createSite(app);
});

afterAll(async () => {
  await app.stop();
  await graph.stop();
});

interface Started {
  dialog: URL;
  cookie: string;
}

async function start(): Promise<Started> {
  const { headers } = await follow(app, await linkOf(app, merchant, 'facebook'));
  const cookie = headers.getSetCookie()[0]?.split(';')[0] ?? '';
  return { dialog: new URL(headers.get('location') ?? ''), cookie };
}

async function comeBack(url: URL, cookie: string): Promise<Record<string, string>> {
  const answer = await follow(app, url.href, { Cookie: cookie });
  expect(answer.status).toBe(303);
  const location = answer.headers.get('location') ?? '';
  expect(location.startsWith(`${appRedirect}#`)).toBe(true);
  return membersOf(new URL(location));
}

async function signIn(profile: Record<string, unknown>): Promise<Record<string, string>> {
  const { dialog, cookie } = await start();
  return comeBack(graph.approve(dialog, profile), cookie);
}

test('303: the profile is read with the token; its address does not count as verified', async () => {
  const profile = { id: randomUUID(), name: 'Ana Petrova', email: `${randomUUID()}@example.org` };
  const { body: account } = await accountOf(app, (await signIn(profile))['token']);
  expect(account).toMatchObject({ email: profile.email, full_name: 'Ana Petrova', completed: false });
  const again = await signIn({ ...profile, email: 'changed@example.org' });
  expect((await accountOf(app, again['token'])).body.id).toBe(account.id);
});

test('303: an address of Facebook links to no account: account_exists', async () => {
  const { email } = await createConsumer(app, merchant);
  expect(await signIn({ id: randomUUID(), email })).toEqual({ error: 'account_exists' });
});

test('303: a profile without an address registers nobody: email_required', async () => {
  expect(await signIn({ id: randomUUID(), name: 'Ana' })).toEqual({ error: 'email_required' });
});

test('303: a code of one sign-in does not end another, since its secret is another: server_error', async () => {
  const mine = await start();
  const other = await start();
  const stolen = graph.approve(other.dialog, { id: randomUUID(), email: `${randomUUID()}@example.org` });
  stolen.searchParams.set('state', mine.dialog.searchParams.get('state') ?? '');
  expect(await comeBack(stolen, mine.cookie)).toEqual({ error: 'server_error' });
});
