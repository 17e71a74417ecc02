import { randomUUID } from 'node:crypto';
import { call } from '../../support/client';
import { check } from '../../support/access';
import { createConsumer, createItem, createMerchant, type Person } from '../../support/factories';
import { beginMove } from '../../support/installations';
import { startApp, type TestApp } from '../../support/startApp';
import { until } from '../../support/until';

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
  const { deleteOutdated } = await import('../../../src/privacy/retention.js');
  await deleteOutdated();
  expect([await kept(old), await kept(renewed)]).toMatchObject([[], [{ email: renewed }]]);
});

describe('a `DataCapture` item', () => {
  const content = '<p>The annual report.</p>';
  const createReport = (fields = {}) => createItem(app, merchant, { access_control_type_id: 4, content, ...fields });
  const someone = () => ({ email: `${randomUUID()}@example.org` });

  test('200: opens at once where it is named, for somebody without an account', async () => {
    const { id } = await createReport();
    const address = someone();
    expect(await capture({ ...address, item_id: id })).toMatchObject({
      status: 200,
      body: { message: 'Access successfully granted', item_id: id, content, type: 'html_asset' },
    });
    expect(await kept(address.email)).toHaveLength(1);
    expect((await capture(someone())).body).not.toHaveProperty('content');
  });

  test('200: opens for an account of the address, once it was left, with its event, and for no other', async () => {
    const { id } = await createReport();
    const [consumer, neighbour] = [await createConsumer(app, merchant), await createConsumer(app, merchant)];
    const before = await check(app, id, consumer);
    expect([before.status, JSON.stringify(before.body).includes('annual')]).toEqual([402, false]);
    await capture({ email: consumer.email.toUpperCase() });
    const { status, body } = await check(app, id, consumer);
    expect([status, body.item.content]).toEqual([200, content]);
    expect((await check(app, id, neighbour)).status).toBe(402);
    const { body: history } = await call<{ collection: { type: string }[] }>(
      app,
      'GET',
      '/notifications/history',
      undefined,
      consumer,
    );
    expect(history.collection.map(({ type }) => type)).toEqual(['access.granted']);
  });

  test('200: is explained to the merchant as it will be answered', async () => {
    const { id } = await createReport();
    const consumer = await createConsumer(app, merchant);
    const explained = async () => {
      const query = `?explain=true&account_id=${consumer.id}`;
      return (await check(app, id, merchant, query)).body as unknown as { granted: boolean };
    };
    expect((await explained()).granted).toBe(false);
    await capture({ email: consumer.email });
    expect((await explained()).granted).toBe(true);
  });

  test('402 access_not_found: not for an address left with another merchant, nor once it is no longer offered', async () => {
    const { id } = await createReport();
    const [consumer, late] = [await createConsumer(app, merchant), await createConsumer(app, merchant)];
    const other = await createMerchant(app);
    await capture({ email: consumer.email, merchant_uuid: other.uuid });
    expect((await check(app, id, consumer)).status).toBe(402);
    await capture({ email: late.email });
    await call(app, 'DELETE', `/items/${id}`, undefined, merchant);
    await until(async () => (await check(app, id, late)).status === 402);
    expect(await capture({ ...someone(), item_id: id })).toMatchObject({ status: 402 });
  });

  test.each([1, 2, 3])('402 access_not_found: an item of access control %d, and nothing is kept', async (type) => {
    const { id } = await createReport({ access_control_type_id: type });
    const consumer = await createConsumer(app, merchant);
    const address = someone();
    const { status, body } = await capture({ ...address, item_id: id });
    expect([status, body]).toMatchObject([402, { error: 'access_not_found' }]);
    expect(await kept(address.email)).toEqual([]);
    await capture({ email: consumer.email });
    if (type !== 3) expect((await check(app, id, consumer)).status).toBe(402);
  });

  test('402 access_restricted: an age is asked for, which nobody without an account has', async () => {
    const { id } = await createReport();
    await call(app, 'POST', `/restrictions/age/item/${id}`, { min_age: 18 }, merchant);
    await until(async () => (await capture({ ...someone(), item_id: id })).status === 402);
    const { body } = await capture({ ...someone(), item_id: id });
    expect(body).toMatchObject({ error: 'access_restricted', errors: { age: expect.any(String) as string } });
    expect(JSON.stringify(body)).not.toContain('annual');
  });

  test('404 item_not_found: another merchant’s item, as one that does not exist', async () => {
    const other = await createMerchant(app);
    const { id } = await createItem(app, other, { access_control_type_id: 4 });
    for (const item_id of [id, 2_147_483_647]) {
      const { status, body } = await capture({ ...someone(), item_id });
      expect([status, body]).toMatchObject([404, { error: 'item_not_found' }]);
    }
  });
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

test('503 service_unavailable: the merchant moves to another installation, and the address is not kept here', async () => {
  const email = `${randomUUID()}@example.org`;
  const moving = await createMerchant(app);
  await beginMove(app, moving);
  expect((await capture({ email, merchant_uuid: moving.uuid })).status).toBe(503);
  expect(await kept(email)).toEqual([]);
});
