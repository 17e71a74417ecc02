import { call } from '../../support/client';
import { createConsumer, createMerchant, type Person } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';
import { until } from '../../support/until';

let app: TestApp;
let merchant: Person;
let customers: Person[];

beforeAll(async () => {
  app = await startApp();
  merchant = await createMerchant(app);
  customers = [];
  for (const name of ['Ana 100%', 'Boris_B', 'Borisa']) {
    const customer = await createConsumer(app, merchant);
    await app.pool.query('UPDATE accounts SET full_name = $2 WHERE id = $1', [customer.id, name]);
    customers.push(customer);
  }
  await createConsumer(app, await createMerchant(app));
  await call(app, 'DELETE', '/accounts', { customerID: customers[2]?.id }, merchant);
});

afterAll(() => app.stop());

interface Page {
  total: number;
  collection: { full_name: string; id: number }[];
}

async function names(query: string, caller: Pick<Person, 'token'> = merchant): Promise<string[]> {
  const { body } = await call<Page>(app, 'GET', `/accounts/registered-users${query}`, undefined, caller);
  return body.collection.map(({ full_name }) => full_name);
}

test('200: a merchant’s consumers, newest first, and nobody else’s', async () => {
  const { status, body } = await call<Page>(app, 'GET', '/accounts/registered-users', undefined, merchant);
  expect(status).toBe(200);
  expect(body).toMatchObject({ total: 3, page: 1, offset: 0, limit: 15 });
  expect(body.collection[0]).toMatchObject({ id: customers[2]?.id, uuid: customers[2]?.uuid, roles: ['consumer'] });
  expect(body.collection.map(({ full_name }) => full_name)).toEqual(['Borisa', 'Boris_B', 'Ana 100%']);
});

test.each([
  ['?active=true', 2],
  ['?active=1', 2],
  ['?active=active', 2],
  ['?active=all', 3],
  ['?active=false', 3],
  ['?active=', 3],
])('200: %s finds %i', async (query, total) => {
  expect(await names(query)).toHaveLength(total);
});

test('200: pages count from 1, and 0 is the first', async () => {
  expect(await names('?page=2&size=2')).toEqual(['Ana 100%']);
  expect(await names('?page=0&size=1')).toEqual(['Borisa']);
  expect(await names('?page=9&size=2')).toEqual([]);
});

test.each([
  ['search[]=title:boris', ['Borisa', 'Boris_B']],
  ['search[0]=title:BORIS_', ['Boris_B']],
  ['search=title:100%25', ['Ana 100%']],
  ['search[]=title:%25', ['Ana 100%']],
  ['search[]=title:@example.org', ['Borisa', 'Boris_B', 'Ana 100%']],
  ['search[]=title:nobody', []],
  [`search[]=title:');DROP TABLE accounts;--`, []],
  ['search[]=title:boris&search[]=title:_', ['Boris_B']],
  ['search[]=id:0', []],
  ['search[]=id:x', []],
  ['search[]=merchant_uuid:x', []],
  ['search[]=merchant_id:99999999999', []],
])('200: ?%s', async (query, expected) => {
  expect(await names(`?${query}`)).toEqual(expected);
});

test('200: by id and by the own merchant; another merchant’s finds nothing', async () => {
  const other = await createMerchant(app);
  const [first] = customers;
  expect(await names(`?search[]=id:${first?.id}`)).toEqual(['Ana 100%']);
  expect(await names(`?search[]=merchant_id:${merchant.id}`)).toHaveLength(3);
  expect(await names(`?search[]=merchant_uuid:${merchant.uuid}&search[]=id:${first?.id}`)).toEqual(['Ana 100%']);
  expect(await names(`?search[]=merchant_id:${merchant.id}`, other)).toEqual([]);
  expect(await names(`?search[]=merchant_uuid:${merchant.uuid}`, other)).toEqual([]);
  expect(await names(`?search[]=id:${first?.id}`, other)).toEqual([]);
});

test.each(['search[]=password:x', 'search[]=title', 'search[a]=title:x', 'active=perhaps', 'size=501', 'page=x'])(
  '422 invalid_input: ?%s',
  async (query) => {
    const reply = await call(app, 'GET', `/accounts/registered-users?${query}`, undefined, merchant);
    expect(reply).toMatchObject({ status: 422, body: { error: 'invalid_input' } });
  },
);

test('403 forbidden: a consumer lists nobody', async () => {
  const reply = await call(app, 'GET', '/accounts/registered-users', undefined, customers[0]);
  expect(reply).toMatchObject({ status: 403, body: { error: 'forbidden' } });
});

test('401 invalid_auth_token: nobody without a token does', async () => {
  expect(await call(app, 'GET', '/accounts/registered-users')).toMatchObject({ status: 401 });
});

test('200: searched by an id of ten digits; none is one that no id can be', async () => {
  const { rows } = await app.pool.query<{ columns: string }>(
    `SELECT string_agg(quote_ident(column_name), ', ') AS columns FROM information_schema.columns
     WHERE table_schema = 'public' AND table_name = 'accounts' AND is_generated = 'NEVER'
       AND column_name NOT IN ('id', 'uuid', 'email', 'email_normalized', 'full_name')`,
  );
  const columns = rows[0]?.columns ?? '';
  await app.pool.query(
    `INSERT INTO accounts (id, uuid, email, email_normalized, full_name, ${columns})
     SELECT 2000000001, gen_random_uuid(), 'late@example.org', 'late@example.org', 'Late', ${columns}
     FROM accounts WHERE id = $1`,
    [customers[0]?.id],
  );
  expect(await names('?search[]=id:2000000001')).toEqual(['Late']);
  expect(await names('?search[]=id:2147483648')).toEqual([]);
  await app.pool.query('DELETE FROM accounts WHERE id = 2000000001');
});

test('200: the trigram index finds the customers whose name or address contains a text, among many', async () => {
  const owner = await createMerchant(app);
  await app.pool.query(
    `INSERT INTO accounts (uuid, merchant_id, merchant_uuid, role, email, email_normalized, full_name, password_hash)
     SELECT gen_random_uuid(), $1, $2, 'consumer', md5(n::text) || '@many.test', md5(n::text) || '@many.test',
       'Viewer ' || n, '' FROM generate_series(1, 20000) AS n`,
    [owner.id, owner.uuid],
  );
  const sought = await createConsumer(app, owner);
  await app.pool.query(`UPDATE accounts SET full_name = 'Zdravko the Great' WHERE id = $1`, [sought.id]);
  await app.pool.query('ANALYZE accounts');
  const uses = async () => {
    const text = `SELECT idx_scan::int AS uses FROM pg_stat_user_indexes WHERE indexrelname = 'accounts_parts'`;
    return (await app.pool.query<{ uses: number }>(text)).rows[0]?.uses ?? 0;
  };
  const before = await uses();
  expect(await names('?search[]=title:dravko', owner)).toEqual(['Zdravko the Great']);
  expect(await names(`?search[]=title:${sought.email.slice(1, 12)}`, owner)).toEqual(['Zdravko the Great']);
  await until(async () => (await uses()) > before);
});
