import qs from 'qs';
import { type Card, createItems, createPackage, idsOf, type Page } from '../../support/catalogue';
import { call } from '../../support/client';
import { createFee, createItem, createMerchant } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const list = (id: number | string, query: object = {}) =>
  call<Page<Card>>(app, 'GET', `/items/packages/${id}/items?${qs.stringify(query)}`);

test('200: for anyone the cards of the items on sale with what each costs, a page at a time, never their content', async () => {
  const merchant = await createMerchant(app);
  const [one, two, gone] = await createItems(app, merchant, ['One', 'Two', 'Gone']);
  await createItem(app, merchant, { title: 'Elsewhere' });
  const fee = await createFee(app, merchant, two?.id ?? 0);
  const { id } = await createPackage(app, merchant, { items: [one?.id, two?.id, gone?.id] });
  await call(app, 'DELETE', `/items/${gone?.id}`, undefined, merchant);
  const { status, body } = await list(id);
  const { content, ...card } = two ?? { content: '' };
  expect(status).toBe(200);
  expect(body).toMatchObject({ total: 2, page: 1, offset: 0, limit: 15 });
  expect(body.collection).toEqual([{ ...card, access_fees: [fee] }, expect.objectContaining({ id: one?.id })]);
  expect(JSON.stringify(body)).not.toContain(content);
  expect(idsOf((await list(id, { page: 2, size: 1 })).body.collection)).toEqual([one?.id]);
});

test('200: by words of the title and by id', async () => {
  const merchant = await createMerchant(app);
  const items = await createItems(app, merchant, ['Cup final', 'Semifinal', 'Draw']);
  const { id } = await createPackage(app, merchant, { items: idsOf(items) });
  const titles = async (...search: string[]) => (await list(id, { search })).body.collection.map(({ title }) => title);
  expect(await titles('title:final')).toEqual(['Semifinal', 'Cup final']);
  expect(await titles(`id:${items[2]?.id}`)).toEqual(['Draw']);
  expect(await titles(`id:${id}`)).toEqual([]);
  expect(await titles('title:%')).toEqual([]);
});

test('404 item_not_found: no such package, and an item that is none', async () => {
  const { id } = await createItem(app, await createMerchant(app));
  for (const unknown of [2_147_483_647, id, 'x'])
    expect(await list(unknown)).toMatchObject({ status: 404, body: { error: 'item_not_found' } });
});

test.each(['page=-1', 'size=501', 'search[]=content:x'])('422 invalid_input: %s', async (query) => {
  const { id } = await createPackage(app, await createMerchant(app));
  expect((await call(app, 'GET', `/items/packages/${id}/items?${query}`)).status).toBe(422);
});
