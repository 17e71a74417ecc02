import { call } from '../../support/client';
import { createMerchant, type Person } from '../../support/factories';
import { createFollower, newFollower } from '../../support/followers';
import * as oauthApps from '../../support/oauthApps';
import { createSchedule, daily } from '../../support/reportSchedules';
import { confirmWithFactor, confirmWithPassword } from '../../support/secondFactors';
import { endUnheard } from '../../support/sessions';
import { startApp, type TestApp } from '../../support/startApp';
import { createWebhook } from '../../support/webhooks';

/** Calls that send data out of the service, or that decide who and which app signs in. */

let app: TestApp;
let merchant: Person;

beforeAll(async () => {
  app = await startApp();
});

beforeEach(async () => {
  merchant = await createMerchant(app);
});

afterAll(() => app.stop());

type Send = () => Promise<{ status: number; body: unknown }>;

const send =
  (method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: Record<string, unknown>): Send =>
  () =>
    call(app, method, path, body, merchant);
const scheduleId = async () => (await createSchedule(app, merchant)).body.id;
const webhookId = async () => (await createWebhook(app, merchant)).id;
const followerId = async () => (await createFollower(app, merchant, [])).id;
const appId = async () => (await oauthApps.createApp(app, merchant)).id;

/** Prepares the call. The session is fresh while it does. */
const calls: [name: string, status: number, prepare: () => Promise<Send>][] = [
  ['a new report schedule', 201, () => Promise.resolve(send('POST', '/reporting/schedules', daily))],
  [
    'other recipients of a report',
    200,
    async () => send('PATCH', `/reporting/schedules/${await scheduleId()}`, { recipients: ['other@example.org'] }),
  ],
  [
    'another report for the same recipients',
    200,
    async () => send('PATCH', `/reporting/schedules/${await scheduleId()}`, { report: 'transactions' }),
  ],
  [
    'another address of a webhook',
    200,
    async () => send('PATCH', `/webhooks/${await webhookId()}`, { url: 'https://hooks.example.org/other' }),
  ],
  ['the removal of a webhook', 200, async () => send('DELETE', `/webhooks/${await webhookId()}`)],
  [
    'another redirect of an app',
    200,
    async () =>
      send('PUT', `/accounts/apps/${await appId()}`, { sso: false, redirect_uris: ['https://reader.example/in'] }),
  ],
  ['a new follower', 200, () => Promise.resolve(send('POST', '/accounts/merchants', newFollower()))],
  [
    'other rights of a follower',
    200,
    async () =>
      send('PUT', '/accounts/merchants/relation', { follower_id: await followerId(), scopes: ['items:read'] }),
  ],
  [
    'the removal of a follower',
    200,
    async () => send('DELETE', '/accounts/merchants/relation', { follower_id: await followerId() }),
  ],
  ['the removal of an app', 200, async () => send('DELETE', `/accounts/apps/${await appId()}`)],
];

test.each(calls)('403 recent_factor_required: %s', async (_name, status, prepare) => {
  const { before, after } = await confirmWithFactor(app, merchant, await prepare());
  expect(before).toMatchObject({ status: 403, body: { error: 'recent_factor_required' } });
  expect(after.status).toBe(status);
});

test.each(calls)('403 recent_password_required: %s, in an old session of our pages', async (_name, status, prepare) => {
  const { before, after } = await confirmWithPassword(app, merchant, await prepare());
  expect(before).toMatchObject({ status: 403, body: { error: 'recent_password_required' } });
  expect(after.status).toBe(status);
});

test.each(calls)('2xx: %s, for another client of an account without a factor', async (_name, status, prepare) => {
  const ask = await prepare();
  await app.pool.query(`UPDATE sessions SET created_at = now() - interval '20 days' WHERE account_id = $1`, [
    merchant.id,
  ]);
  expect((await ask()).status).toBe(status);
});

test.each(calls)(
  '401 invalid_auth_token: %s, in a session that has ended and that a replica still trusts',
  async (_name, _status, prepare) => {
    const ask = await prepare();
    expect((await call(app, 'GET', '/accounts', undefined, merchant)).status).toBe(200);
    await endUnheard(app, merchant);
    expect(await ask()).toMatchObject({ status: 401, body: { error: 'invalid_auth_token' } });
  },
);
