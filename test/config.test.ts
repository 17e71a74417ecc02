import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const production = {
  ENVIRONMENT: 'production',
  SANDBOX_API_BASE: '',
  DATABASE_URL: 'postgres://paywall@db.example.org/paywall',
  TEMPORAL_ADDRESS: 'temporal.example.org:7233',
  SMTP_URL: 'smtp://mail.example.org',
  BASE_URL: 'https://paywall.example.org',
  JWT_KEYS: JSON.stringify([{ ...newKey(), kid: 'one' }]),
  ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
};

let before: NodeJS.ProcessEnv;

beforeEach(() => {
  before = { ...process.env };
  jest.resetModules();
});

afterEach(() => {
  process.env = before;
});

test('production does not start with an address of the sandbox', async () => {
  const given = { ...production, CARD_PROVIDER: 'none' };
  await expect(configWith({ ...given, SANDBOX_API_BASE: 'http://127.0.0.1:8091' })).rejects.toThrow(
    /^SANDBOX_API_BASE/,
  );
});

test.each(['DATABASE_URL', 'TEMPORAL_ADDRESS', 'SMTP_URL', 'BASE_URL', 'JWT_KEYS', 'ENCRYPTION_KEY'])(
  'production does not start without %s, and names it',
  async (name) => {
    await expect(configWith({ ...production, [name]: '' })).rejects.toThrow(`ENVIRONMENT=production needs ${name}`);
  },
);

test('production does not start with sandbox payments', async () => {
  await expect(configWith(production)).rejects.toThrow(
    'CARD_PROVIDER: production does not start with sandbox payments',
  );
});

test('production starts without a provider: each merchant connects its own account', async () => {
  expect((await configWith({ ...production, CARD_PROVIDER: 'none' })).CARD_PROVIDER).toBe('none');
});

describe('without ENVIRONMENT', () => {
  test.each(['127.0.0.1', '127.1.2.3', 'localhost', '::1'])('the test environment starts on %s', async (HOST) => {
    expect((await configWith({ ENVIRONMENT: '', HOST })).ENVIRONMENT).toBe('test');
  });

  test.each(['0.0.0.0', '::', '192.0.2.1', 'paywall.example.org', '127.example.org'])(
    'nothing starts on %s, which other machines reach',
    async (HOST) => {
      await expect(configWith({ ENVIRONMENT: '', HOST })).rejects.toThrow(/^ENVIRONMENT: choose production or test/);
    },
  );
});

test('the test environment starts where other machines reach it only by a setting of its own', async () => {
  const reachable = { ENVIRONMENT: 'test', HOST: '0.0.0.0' };
  await expect(configWith(reachable)).rejects.toThrow(/^TEST_ON_PUBLIC_HOST: must be true/);
  jest.resetModules();
  expect((await configWith({ ...reachable, TEST_ON_PUBLIC_HOST: 'true' })).ENVIRONMENT).toBe('test');
});

test('a worker works on every queue', async () => {
  const { WORKER_QUEUES: queues } = await configWith({ ...production, CARD_PROVIDER: 'none' });
  expect(queues).toEqual(['interactive', 'background', 'webhooks']);
});

test('a worker works on the queues of WORKER_QUEUES alone', async () => {
  const given = { ...production, CARD_PROVIDER: 'none', WORKER_QUEUES: 'webhooks, background' };
  expect((await configWith(given)).WORKER_QUEUES).toEqual(['webhooks', 'background']);
});

test('an unknown queue of a worker is refused', async () => {
  await expect(configWith({ ...production, WORKER_QUEUES: 'mails' })).rejects.toThrow(/^WORKER_QUEUES/);
});

test('production starts on any host', async () => {
  const settings = { ...production, CARD_PROVIDER: 'none', HOST: '0.0.0.0' };
  expect((await configWith(settings)).ENVIRONMENT).toBe('production');
});

test.each([
  ['production', '', 'closed'],
  ['production', 'open', 'open'],
  ['test', '', 'open'],
  ['production', 'approval', 'approval'],
  ['test', 'closed', 'closed'],
])('the sign-up of merchants in %s with MERCHANT_SIGNUP=%s is %s', async (ENVIRONMENT, MERCHANT_SIGNUP, expected) => {
  const settings = { ...production, CARD_PROVIDER: 'none', ENVIRONMENT, MERCHANT_SIGNUP };
  expect((await configWith(settings)).MERCHANT_SIGNUP).toBe(expected);
});

const stripe = {
  CARD_PROVIDER: 'stripe',
  STRIPE_SECRET_KEY: 'sk_test_1',
  STRIPE_PUBLISHABLE_KEY: 'pk_test_1',
  STRIPE_WEBHOOK_SECRET: 'whsec_1',
};

test.each(['STRIPE_SECRET_KEY', 'STRIPE_PUBLISHABLE_KEY', 'STRIPE_WEBHOOK_SECRET'])(
  'payments by Stripe do not start without %s',
  async (name) => {
    await expect(configWith({ ...stripe, [name]: '' })).rejects.toThrow(`CARD_PROVIDER=stripe needs ${name}`);
    jest.resetModules();
    expect((await configWith({ ...production, ...stripe })).CARD_PROVIDER).toBe('stripe');
  },
);

test('the pages need a publishable key even if the API accepts card numbers', async () => {
  const numbers = { ...stripe, STRIPE_RAW_CARDS: 'true' };
  const missing = 'CARD_PROVIDER=stripe needs STRIPE_PUBLISHABLE_KEY';
  await expect(configWith({ ...numbers, STRIPE_PUBLISHABLE_KEY: '' })).rejects.toThrow(missing);
  jest.resetModules();
  expect((await configWith(numbers)).STRIPE_RAW_CARDS).toBe(true);
});

test.each(['TEMPORAL_TLS_CLIENT_CERT_PATH', 'TEMPORAL_TLS_CLIENT_KEY_PATH'])(
  'a client certificate for Temporal needs its key: only %s is refused',
  async (name) => {
    await expect(configWith({ [name]: __filename })).rejects.toThrow('A client certificate for Temporal needs ');
  },
);

test.each([
  ['PORT', 'eighty'],
  ['BASE_URL', 'paywall'],
  ['MERCHANT_SIGNUP', 'sometimes'],
  ['RATE_LIMIT_NORMAL', '0'],
  ['ENCRYPTION_KEY', 'short'],
  ['STRIPE_PUBLISHABLE_KEY', 'sk_test_1'],
  ['OPERATOR_TOKEN', 'easy to guess'],
  ['TEMPORAL_TLS_SERVER_CA_CERT_PATH', '/no/such/file'],
])('an unreadable %s is named', async (name, value) => {
  await expect(configWith({ [name]: value })).rejects.toThrow(new RegExp(`^${name}: `));
});

test('a certificate needs its key, and is then the address of the service', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'paywall-config-'));
  const [TLS_CERT, TLS_KEY] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  for (const file of [TLS_CERT, TLS_KEY]) writeFileSync(file, '');
  await expect(configWith({ TLS_CERT })).rejects.toThrow('TLS needs TLS_KEY');
  jest.resetModules();
  const own = { TLS_CERT, TLS_KEY, TLS_PORT: '9443', BASE_URL: '' };
  expect((await configWith(own)).BASE_URL).toBe('https://127.0.0.1:9443');
});

test('a secret may come from a file, and a file that is not there is named', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'paywall-config-')), 'key');
  writeFileSync(file, `${production.ENCRYPTION_KEY}\n`);
  expect((await configWith({ ENCRYPTION_KEY: '', ENCRYPTION_KEY_FILE: file })).ENCRYPTION_KEY).toEqual(
    Buffer.alloc(32, 1),
  );
  jest.resetModules();
  await expect(configWith({ ENCRYPTION_KEY: '', ENCRYPTION_KEY_FILE: `${file}-absent` })).rejects.toThrow(
    'ENCRYPTION_KEY_FILE: ',
  );
});

test.each([
  ['no list', '{"name":"google"}'],
  ['no JSON', '[google]'],
  ['no secret', '[{"name":"google","client_id":"id"}]'],
  ['a name that no path can hold', '[{"name":"My Company","client_id":"id","client_secret":"secret"}]'],
  [
    'an issuer that anyone on the way could play',
    '[{"name":"acme","client_id":"id","client_secret":"secret","issuer":"http://id.example.org"}]',
  ],
])('SOCIAL_PROVIDERS with %s is refused', async (_what, SOCIAL_PROVIDERS) => {
  await expect(configWith({ SOCIAL_PROVIDERS })).rejects.toThrow(/^SOCIAL_PROVIDERS/);
});

async function configWith(environment: Record<string, string>) {
  Object.assign(process.env, environment);
  return (await import('../src/config.js')).config;
}

function newKey() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
}

const connect = {
  STRIPE_CONNECT_SECRET_KEY: 'sk_test_1',
  STRIPE_CONNECT_PUBLISHABLE_KEY: 'pk_test_1',
  STRIPE_CONNECT_WEBHOOK_SECRET: 'whsec_1',
};

test('Stripe Connect has all its settings or none', async () => {
  for (const name of Object.keys(connect)) {
    await expect(configWith({ ...connect, [name]: '' })).rejects.toThrow(`Stripe Connect needs ${name}`);
    jest.resetModules();
  }
  expect((await configWith(connect)).STRIPE_CONNECT_SECRET_KEY).toBe('sk_test_1');
});

test('a test environment refuses live keys of a platform', async () => {
  const live = { ...connect, STRIPE_CONNECT_SECRET_KEY: 'sk_live_1' };
  await expect(configWith(live)).rejects.toThrow('must be a test key');
});

test('the fee of a platform has two decimals, and a fixed part for each currency', async () => {
  const { CONNECT_FEE_PERCENT, CONNECT_FEE_FIXED } = await configWith({
    CONNECT_FEE_PERCENT: '2.5',
    CONNECT_FEE_FIXED: 'EUR:0.25, USD:0.3',
  });
  expect([CONNECT_FEE_PERCENT, Object.fromEntries(CONNECT_FEE_FIXED)]).toEqual([2.5, { EUR: 0.25, USD: 0.3 }]);
});

test.each([
  ...['101', '-1', '2.555', 'x'].map((text) => ['CONNECT_FEE_PERCENT', text] as const),
  ...['EUR', 'EUR:0.1,EUR:0.2', 'EUR:-1', 'eur:1'].map((text) => ['CONNECT_FEE_FIXED', text] as const),
])('%s is not %s', async (name, text) => {
  await expect(configWith({ [name]: text })).rejects.toThrow(name);
});

test.each(['1:5', '0:0', '0:5,7:4', '0:5,0:6', '0:5;1:6', 'x'])(
  'MAIL_BUDGETS=%s is refused: the steps begin with day 0 and grow',
  async (MAIL_BUDGETS) => {
    await expect(configWith({ MAIL_BUDGETS })).rejects.toThrow(/^MAIL_BUDGETS: must be like/);
  },
);

test('MAIL_BUDGETS has steps of days and mails', async () => {
  const steps = [
    { days: 0, mails: 5 },
    { days: 7, mails: 5 },
  ];
  expect((await configWith({ MAIL_BUDGETS: '0:5, 7:5' })).MAIL_BUDGETS).toEqual(steps);
});

test('the headers of the collector are percent-encoded pairs', async () => {
  const { OTEL_EXPORTER_OTLP_HEADERS: headers } = await configWith({
    OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Bearer%20of%3Dthe%20collector, x-team = a=b,,empty=',
  });
  expect(headers).toEqual({ Authorization: 'Bearer of=the collector', 'x-team': 'a=b', empty: '' });
});

test.each(['Authorization', '=secret', 'name=100%', 'name=%ff', 'two words=secret', 'name=line%0Abreak'])(
  'OTEL_EXPORTER_OTLP_HEADERS=%s is refused without its value',
  async (OTEL_EXPORTER_OTLP_HEADERS) => {
    await expect(configWith({ OTEL_EXPORTER_OTLP_HEADERS })).rejects.toThrow(
      'OTEL_EXPORTER_OTLP_HEADERS: must be like name=value,other=value, percent-encoded',
    );
  },
);
