import { call } from '../../support/client';
import { createFee, createItem, createMerchant, type Person } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
let merchant: Person;

beforeAll(async () => {
  app = await startApp();
  merchant = await createMerchant(app);
});

afterAll(() => app.stop());

interface Fee {
  id: number;
  item: { id: number };
}

describe.each(['/v2/items', '/items'])('GET %s/{id}/access-fees', (path) => {
  const list = (id: number | string) => call<Fee[]>(app, 'GET', `${path}/${id}/access-fees`);

  test('200: the fees of the item in the order they were made, for anyone, without its content', async () => {
    const item = await createItem(app, merchant);
    const other = await createItem(app, merchant);
    const fees = [await createFee(app, merchant, item.id), await createFee(app, merchant, item.id, { amount: '99' })];
    await createFee(app, merchant, other.id);
    const { status, body } = await list(item.id);
    expect(status).toBe(200);
    expect(body).toEqual(fees);
    expect(JSON.stringify(body)).not.toContain('The final.');
  });

  test('200: an item that costs nothing yet has an empty list', async () => {
    const item = await createItem(app, merchant);
    expect((await list(item.id)).body).toEqual([]);
  });

  test('200: a fee before or after its dates is left out', async () => {
    const item = await createItem(app, merchant);
    const inDays = (days: number) => Math.floor(Date.now() / 1000) + days * 86_400;
    const now = await createFee(app, merchant, item.id, { starts_at: inDays(-1), expires_at: inDays(1) });
    await createFee(app, merchant, item.id, { starts_at: inDays(1) });
    await createFee(app, merchant, item.id, { expires_at: inDays(-1) });
    expect((await list(item.id)).body.map(({ id }) => id)).toEqual([now.id]);
  });

  test('404 item_not_found: no such item', async () => {
    for (const id of [2_147_483_647, 0, 'x', '1;drop table items'])
      expect(await list(id)).toMatchObject({ status: 404, body: { code: 404, error: 'item_not_found' } });
  });
});
