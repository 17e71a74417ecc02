import { randomUUID } from 'node:crypto';
import { type Card, idsOf } from '../../support/catalogue';
import { call } from '../../support/client';
import { createFee, createItem, createMerchant, type Person } from '../../support/factories';
import { type ErrorBody } from '../../support/raw';
import { createCountrySet, manage } from '../../support/restrictions';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
let merchant: Person;

beforeAll(async () => {
  app = await startApp();
  merchant = await createMerchant(app);
});

afterAll(() => app.stop());

const get = <Body = Card>(type: string, id: string, merchantUuid: string = merchant.uuid) =>
  call<Body>(app, 'GET', `/items/assets/external/${type}/${id}?merchant_uuid=${merchantUuid}`);

test('200: the card of the item that a platform knows by the id, with its fees', async () => {
  const fields = { item_type: 'jw_asset', external_asset_id: 'aB 3/dE' };
  const { content, ...card } = await createItem(app, merchant, fields);
  const fee = await createFee(app, merchant, card.id);
  const { status, body } = await get('jw', encodeURIComponent('aB 3/dE'));
  expect(status).toBe(200);
  expect(body).toEqual({ ...card, access_fees: [fee] });
  expect(JSON.stringify(body)).not.toContain(content);
});

test('200: the newest on sale of several, of this merchant and platform', async () => {
  const fields = { item_type: 'wistia_asset', external_asset_id: 'shared' };
  const other = await createMerchant(app);
  const mine = [await createItem(app, merchant, fields), await createItem(app, merchant, fields)];
  await createItem(app, merchant, { ...fields, item_type: 'vidyard_asset' });
  await createItem(app, other, fields);
  expect((await get('wistia', 'shared')).body.id).toBe(mine[1]?.id);
  await call(app, 'DELETE', `/items/${mine[1]?.id}`, undefined, merchant);
  expect(idsOf([(await get('wistia', 'shared')).body])).toEqual([mine[0]?.id]);
});

test('400 missing_parameter: the merchant', async () => {
  expect(await call<ErrorBody>(app, 'GET', '/items/assets/external/jw/x')).toMatchObject({
    status: 400,
    body: { errors: { merchant_uuid: 'The merchant_uuid must not be empty.' } },
  });
});

test('404 item_not_found: no such id, platform or merchant, and an item of another merchant', async () => {
  const other = await createMerchant(app);
  await createItem(app, other, { item_type: 'jw_asset', external_asset_id: 'theirs' });
  for (const [type, id, uuid] of [
    ['jw', 'nobody', merchant.uuid],
    ['jw', 'theirs', merchant.uuid],
    ['kaltura', 'theirs', other.uuid],
    ['jw_asset', 'theirs', other.uuid],
    ['constructor', 'theirs', other.uuid],
    ['jw', 'theirs', '00000000-0000-4000-8000-000000000000'],
    ['jw', '%00', other.uuid],
  ] as const)
    expect(await get(type, id, uuid)).toMatchObject({ status: 404, body: { error: 'item_not_found' } });
});

test('422 invalid_input: a merchant that is no uuid', async () => {
  expect((await get('jw', 'x', 'undefined')).status).toBe(422);
});

describe('a page that may not show the item shows a preview, by its id', () => {
  const closed = async () => {
    const item = await createItem(app, merchant, { item_type: 'jw_asset', external_asset_id: randomUUID() });
    const path = `/items/assets/external/jw/${item.external_id}?merchant_uuid=${merchant.uuid}`;
    const read = (origin: string) => call<ErrorBody>(app, 'GET', path, undefined, { headers: { Origin: origin } });
    return {
      item,
      read,
      restrict: (path: string, fields: object) => manage(app, { merchant }, 'POST', path, { ...fields }),
    };
  };

  test('403 item_restricted: on a page of another domain', async () => {
    const { item, read, restrict } = await closed();
    await restrict(`domain/whitelist/item/${item.id}`, { domains: [{ id: 0, domain: 'example.org' }] });
    const { status, body } = await read('https://elsewhere.example.net');
    expect(status).toBe(403);
    expect(body).toEqual({
      code: 403,
      message: 'Access restricted: The item may not be shown on this domain.',
      explain: expect.any(String) as string,
      error: 'item_restricted',
      id: item.id,
      errors: { domain: expect.any(String) as string },
    });
    expect((await read('https://shop.example.org')).status).toBe(200);
    expect((await call(app, 'GET', `/items/${item.id}`)).status).toBe(200);
  });

  test('403 item_restricted: in another country', async () => {
    const { item, read } = await closed();
    const shop = { merchant };
    const set = await createCountrySet(app, shop, { global: false });
    await manage(app, shop, 'POST', `geo/country-set/${set.id}/item/${item.id}`);
    expect(await read('https://example.org')).toMatchObject({ status: 403, body: { id: item.id, code: 403 } });
  });

  test('200: not for want of an age, which nobody who is not signed in has', async () => {
    const { item, read, restrict } = await closed();
    await restrict(`age/item/${item.id}`, { min_age: 18 });
    expect((await read('https://example.org')).status).toBe(200);
  });
});
