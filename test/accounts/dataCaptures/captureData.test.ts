import { randomUUID } from 'node:crypto';
import { call } from '../../support/client';
import { createConsumer, createMerchant, type Person } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
let merchant: Person;

beforeAll(async () => {
  app = await startApp();
  merchant = await createMerchant(app);
});

afterAll(() => app.stop());

const path = '/v2/accounts/customers/data-capture';

const capture = (fields: Record<string, unknown>) =>
  call(app, 'POST', path, { full_name: 'Ana Petrova', merchant_uuid: merchant.uuid, ...fields });

async function kept(email: string): Promise<unknown[]> {
  const text = 'SELECT email, full_name, company FROM data_captures WHERE email_normalized = $1';
  return (await app.pool.query<Record<string, string>>(text, [email])).rows;
}

test('200: whoever leaves an address is let in, and kept once as it was given last', async () => {
  const email = `${randomUUID()}@example.org`;
  const first = await capture({ email });
  expect(first).toMatchObject({ status: 200, body: { code: 200, message: 'Access successfully granted' } });
  const again = await capture({ email: email.toUpperCase(), full_name: 'Ana P.', company: 'Petrova Ltd' });
  expect(again.body).toEqual(first.body);
  expect(await kept(email)).toEqual([{ email: email.toUpperCase(), full_name: 'Ana P.', company: 'Petrova Ltd' }]);
});

test('200: does not tell whether the address has an account', async () => {
  const consumer = await createConsumer(app, merchant);
  const [known, unknown] = [
    await capture({ email: consumer.email }),
    await capture({ email: `${randomUUID()}@example.org` }),
  ];
  expect(known).toMatchObject({ status: 200, body: unknown.body });
});

test('200: an OAuth app’s id names the merchant too', async () => {
  const { body } = await call<{ client_id: string }>(app, 'POST', '/accounts/apps', { name: 'Reader' }, merchant);
  expect((await capture({ email: `${randomUUID()}@example.org`, merchant_uuid: body.client_id })).status).toBe(200);
});

test('200: kept for 13 months after it was given last', async () => {
  const [old, renewed] = [`${randomUUID()}@example.org`, `${randomUUID()}@example.org`];
  for (const email of [old, renewed]) await capture({ email });
  await app.pool.query(
    `UPDATE data_captures SET created_at = created_at - interval '13 months 1 day',
       updated_at = updated_at - interval '13 months 1 day' WHERE email_normalized = ANY($1)`,
    [[old, renewed]],
  );
  await capture({ email: renewed });
  const { deleteOutdated } = await import('../../../src/adapters/postgres/retention.js');
  await deleteOutdated();
  expect([await kept(old), await kept(renewed)]).toMatchObject([[], [{ email: renewed }]]);
});

test('404 account_not_found: no such merchant', async () => {
  const email = `${randomUUID()}@example.org`;
  expect(await capture({ email, merchant_uuid: randomUUID() })).toMatchObject({
    status: 404,
    body: { error: 'account_not_found' },
  });
  expect(await kept(email)).toEqual([]);
});

test('422 invalid_input: no address', async () => {
  expect((await capture({ email: 'ana' })).status).toBe(422);
});
