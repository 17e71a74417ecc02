import { type Card, createItems, idsOf, type Page } from '../../support/catalogue';
import { call } from '../../support/client';
import { createFee, createItem, createMerchant, createShop } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

const get = <Body = Card>(id: number | string, query = '') => call<Body>(app, 'GET', `/items/${id}${query}`);

test('200: by the item’s id its card with its fees, for anyone, and never its content', async () => {
  const merchant = await createMerchant(app);
  const { content, ...card } = await createItem(app, merchant, { metadata: { preview_title: 'Cup final, live' } });
  const fee = await createFee(app, merchant, card.id);
  const { status, body } = await get(card.id);
  expect(status).toBe(200);
  expect(body).toEqual({ ...card, access_fees: [fee] });
  expect(JSON.stringify(body)).not.toContain(content);
});

test('200: with the age that it needs: its own, else its merchant’s', async () => {
  const { merchant, item } = await createShop(app);
  const ageOf = async () => {
    const { body } = await get(item.id);
    expect(body.access_fees[0]?.item.age_restriction).toEqual(body.age_restriction);
    return body.age_restriction;
  };
  expect(await ageOf()).toBeNull();
  await call(app, 'POST', '/restrictions/age', { min_age: 16 }, merchant);
  expect(await ageOf()).toEqual({ min_age: 16 });
  await call(app, 'POST', `/restrictions/age/item/${item.id}`, { min_age: 18 }, merchant);
  expect(await ageOf()).toEqual({ min_age: 18 });
});

test('200: by a merchant’s uuid the cards of what it sells, newest first, each with its fees', async () => {
  const merchant = await createMerchant(app);
  await createShop(app);
  const [first, gone, last] = await createItems(app, merchant, ['One', 'Two', 'Three']);
  const fee = await createFee(app, merchant, last?.id ?? 0);
  await call(app, 'DELETE', `/items/${gone?.id}`, undefined, merchant);
  const { status, body } = await get<Page<Card>>(merchant.uuid.toUpperCase());
  expect({ status, total: body.total, limit: body.limit }).toEqual({ status: 200, total: 2, limit: 15 });
  expect(idsOf(body.collection)).toEqual([last?.id, first?.id]);
  expect(body.collection.map(({ access_fees }) => access_fees)).toEqual([[fee], []]);
  expect(JSON.stringify(body)).not.toContain('The final.');
  expect(idsOf((await get<Page<Card>>(merchant.uuid, '?limit=1')).body.collection)).toEqual([last?.id]);
});

test('404 item_not_found: no such item, no such merchant, and what is neither', async () => {
  for (const id of [2_147_483_647, 0, 'x', '00000000-0000-4000-8000-000000000000', '1;drop table items'])
    expect(await get(id)).toMatchObject({
      status: 404,
      body: { code: 404, message: 'Item not found', error: 'item_not_found' },
    });
});

test.each(['page=-1', 'limit=501'])('422 invalid_input: %s', async (query) => {
  const merchant = await createMerchant(app);
  expect((await get(merchant.uuid, `?${query}`)).status).toBe(422);
});
