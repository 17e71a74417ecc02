import { call } from '../support/client';
import { createMerchant, type Person } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';
import { type NewWebhook } from '../support/webhooks';

let app: TestApp;
let merchant: Person;

beforeAll(async () => {
  app = await startApp();
});

beforeEach(async () => {
  merchant = await createMerchant(app);
});

afterAll(() => app.stop());

const create = (fields: Record<string, unknown>) => call<NewWebhook>(app, 'POST', '/webhooks', fields, merchant);
const url = 'https://hooks.example.org/in?from=paywall';

test('201: with all events, on, and a secret that is shown here only', async () => {
  const { status, body } = await create({ url });
  expect(status).toBe(201);
  const { secret, ...shown } = body;
  expect(shown).toEqual({
    id: expect.any(Number) as number,
    url,
    events: [],
    never_sent: [],
    format: 'standard',
    enabled: true,
    description: '',
    disabled_reason: '',
    disabled_at: 0,
    previous_secret_expires_at: 0,
    created_at: expect.any(Number) as number,
    updated_at: expect.any(Number) as number,
  });
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect((await call(app, 'GET', `/webhooks/${body.id}`, undefined, merchant)).body).toEqual(shown);
});

test('201: with a filter, a format and a description, and off', async () => {
  const events = ['access.granted', 'access.revoked', 'access.granted'];
  const { status, body } = await create({ url, events, format: 'form', enabled: false, description: 'Ledger' });
  expect(status).toBe(201);
  expect(body).toMatchObject({
    events: ['access.granted', 'access.revoked'],
    format: 'form',
    enabled: false,
    disabled_reason: 'merchant',
    description: 'Ledger',
  });
});

test('201: an empty filter means all', async () => {
  expect((await create({ url, 'events[]': '' })).body.events).toEqual([]);
});

test('201: plain http, in the test environment', async () => {
  expect((await create({ url: 'http://hooks.example.org/in' })).status).toBe(201);
});

test('201: the secret lies sealed in the database', async () => {
  const { body } = await create({ url });
  const { rows } = await app.pool.query<{ row: string; sealed_secret: Buffer }>(
    'SELECT e::text AS row, sealed_secret FROM webhook_endpoints e WHERE id = $1',
    [body.id],
  );
  expect(rows[0]?.row).not.toContain(body.secret);
  expect(rows[0]?.sealed_secret.includes(body.secret)).toBe(false);
  expect(rows[0]?.sealed_secret.includes(Buffer.from(body.secret.slice(6), 'base64'))).toBe(false);
});

test('201: the audit log tells of it', async () => {
  const { body } = await create({ url });
  const { body: audit } = await call(app, 'GET', '/audit?action=webhook.create', undefined, merchant);
  expect(audit).toMatchObject({
    total: 1,
    collection: [{ actor_account_id: merchant.id, object_type: 'webhook', object_id: String(body.id) }],
  });
});

test.each([
  ['no address', 'hooks'],
  ['another protocol', 'ftp://hooks.example.org/'],
  ['a user', 'https://me:secret@hooks.example.org/'],
  ['a fragment', 'https://hooks.example.org/#in'],
  ['blanks', 'https://hooks.example.org/a b'],
  ['too long', `https://hooks.example.org/${'x'.repeat(2048)}`],
  ['this machine', 'https://localhost/in'],
  ['loopback', 'https://127.0.0.1/in'],
  ['loopback in hexadecimal', 'https://0x7f.0.0.1/in'],
  ['loopback as IPv6', 'https://[::1]/in'],
  ['loopback inside IPv6', 'https://[::ffff:127.0.0.1]/in'],
  ['a private network', 'https://192.168.0.10/in'],
  ['a cloud’s metadata', 'http://169.254.169.254/latest/meta-data'],
])('422 invalid_input: the url is %s', async (_name, bad) => {
  const { status, body } = await create({ url: bad });
  expect(status).toBe(422);
  expect(body).toMatchObject({ error: 'invalid_input', errors: { url: expect.any(String) as string } });
});

test('422 invalid_input: a type that there is not, and a format', async () => {
  const { body } = await create({ url, events: ['access.granted', 'access.gained', 'constructor'] });
  expect(body).toMatchObject({ error: 'invalid_input', errors: { 'events.1': expect.any(String) as string } });
  expect((await create({ url, format: 'xml' })).body).toMatchObject({ error: 'invalid_input' });
});

test('409 webhook_limit_reached: the 21st, also when many are made at once', async () => {
  const replies = await Promise.all(Array.from({ length: 25 }, () => create({ url })));
  const statuses = replies.map(({ status }) => status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(20);
  expect(statuses.filter((status) => status === 409)).toHaveLength(5);
  expect((await create({ url })).body).toMatchObject({ error: 'webhook_limit_reached' });
});
