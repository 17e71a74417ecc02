import { type ErrorBody, form, send } from '../support/raw';
import { call } from '../support/client';
import { createConsumer, createMerchant, createShop, purchase, registration } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';
import { errorCatalogue } from '../../src/kit/errors';

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

/** Breaks a table while `work` runs, as a bug would. */
async function without<T>(table: string, work: () => Promise<T>): Promise<T> {
  await app.pool.query(`ALTER TABLE ${table} RENAME TO ${table}_away`);
  try {
    return await work();
  } finally {
    await app.pool.query(`ALTER TABLE ${table}_away RENAME TO ${table}`);
  }
}

const internals = {
  code: 500,
  message: 'Internal server error',
  error: 'internal_error',
  explain: 'Internal server error',
};

test('500 internal_error: tells nothing of the statement, the table or the stack', async () => {
  const shop = await createShop(app);
  const answers = await without('subscriptions', () =>
    Promise.all([
      call<ErrorBody>(app, 'GET', '/subscriptions', undefined, shop.consumer),
      call<ErrorBody>(app, 'POST', '/subscriptions', purchase(shop), shop.consumer),
    ]),
  );
  for (const { status, body } of answers) expect({ status, body }).toEqual({ status: 500, body: internals });
  expect((await call(app, 'GET', '/subscriptions', undefined, shop.consumer)).status).toBe(200);
});

test('500 internal_error: by a prepared statement as well', async () => {
  const { consumer, item } = await createShop(app);
  const { status, headers, body } = await without('accesses', () =>
    call<ErrorBody>(app, 'GET', `/items/${item.id}/access`, undefined, consumer),
  );
  expect({ status, body }).toEqual({ status: 500, body: internals });
  expect(headers.get('x-request-id')).toMatch(/^[\w-]{36}$/);
});

test('500 internal_error: nothing of what was half done remains', async () => {
  const fields = registration('merchant', 'platform');
  const { status } = await without('channels', () => call(app, 'POST', '/accounts', fields));
  expect(status).toBe(500);
  const { rows } = await app.pool.query('SELECT 1 FROM accounts WHERE email = $1', [fields.username]);
  expect(rows).toEqual([]);
  expect((await call(app, 'POST', '/accounts', fields)).status).toBe(200);
});

test('400 card_number_refused: in any field, whatever the endpoint, and nothing is stored', async () => {
  const merchant = await createMerchant(app);
  const consumer = await createConsumer(app, merchant);
  const number = '5555 5555 5555 4444';
  const fields = registration('consumer', merchant.uuid);
  const attempts = [
    call<ErrorBody>(app, 'POST', '/accounts', { ...fields, full_name: number }),
    call<ErrorBody>(app, 'POST', '/accounts', { ...fields, metadata: { note: `card ${number}` } }),
    call<ErrorBody>(app, 'POST', '/accounts', { ...fields, unknown: [{ deep: number }] }),
    call<ErrorBody>(app, 'POST', '/v2/items', { item_type: 'html_asset', title: number }, merchant),
    call<ErrorBody>(app, 'POST', '/subscriptions', { access_fee: 1, card_name: number }, consumer),
    call<ErrorBody>(
      app,
      'POST',
      '/subscriptions',
      { access_fee: 1, referrer: `https://x.example/?c=${number}` },
      consumer,
    ),
  ];
  for (const { status, body } of await Promise.all(attempts)) {
    expect({ status, body }).toMatchObject({
      status: 400,
      body: {
        error: 'card_number_refused',
        message: expect.stringMatching(/^Malformed request: The \S+ must not hold a card number\.$/) as string,
      },
    });
    expect(JSON.stringify(body)).not.toContain('5555');
  }
  const { rows } = await app.pool.query('SELECT 1 FROM accounts WHERE email = $1', [fields.username]);
  expect(rows).toEqual([]);
});

test('an error is code, message, key, explanation, and the fields that are wrong', async () => {
  const { status, body } = await send<ErrorBody>(app, 'POST', '/accounts/authenticate', {
    body: 'client_id=x',
    contentType: form,
  });
  expect({ status, body }).toEqual({
    status: 400,
    body: {
      code: 400,
      message: 'Missing required parameter: The grant_type must not be empty.',
      error: 'missing_parameter',
      explain: 'The grant_type must not be empty.',
      errors: { grant_type: 'The grant_type must not be empty.' },
    },
  });
});

test('the catalogue has a status of HTTP and a text for each key', () => {
  for (const { status, message } of Object.values(errorCatalogue)) {
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(600);
    // Clients compare two texts that begin with the name of a token.
    expect(message).toMatch(/^([A-Z]|[a-zA-Z]+Token )/);
  }
});
