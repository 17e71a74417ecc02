import { randomUUID } from 'node:crypto';
import jsonwebtoken, { type JwtPayload } from 'jsonwebtoken';
import { call } from '../../support/client';
import { createConsumer, createItem, createShop, type Person } from '../../support/factories';
import { grant } from '../../support/grant';
import { createMediaShop, mediaSecret } from '../../support/mediaSettings';
import { type ErrorBody } from '../../support/raw';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const ask = (person: Pick<Person, 'token'>, media: string) =>
  call<{ token: string } & ErrorBody>(
    app,
    'GET',
    `/v2/items/jw-media/token?app_config_id=player&media_id=${media}`,
    undefined,
    person,
  );

const seconds = () => Date.now() / 1000;

test('200: a token for this medium, for ten minutes, that the merchant’s secret verifies', async () => {
  const media = randomUUID();
  const { consumer } = await createMediaShop(app, { external_asset_id: media });
  const { status, body } = await ask(consumer, media);
  expect(status).toBe(200);
  const claims = jsonwebtoken.verify(body.token, mediaSecret, { algorithms: ['HS256'] }) as JwtPayload;
  expect(claims['resource']).toBe(`/v2/media/${media}`);
  expect(claims.exp).toBeGreaterThan(seconds() + 500);
  expect(claims.exp).toBeLessThanOrEqual(seconds() + 601);
  expect(() => jsonwebtoken.verify(body.token, `${mediaSecret}!`)).toThrow('invalid signature');
});

test('200: never longer than the access', async () => {
  const media = randomUUID();
  const shop = await createMediaShop(app, { external_asset_id: media });
  await app.pool.query(`UPDATE accesses SET expires_at = now() + interval '2 minutes' WHERE account_id = $1`, [
    shop.consumer.id,
  ]);
  const { body } = await ask(shop.consumer, media);
  expect((jsonwebtoken.decode(body.token) as JwtPayload).exp).toBeLessThanOrEqual(seconds() + 121);
});

test('200: by whichever item holds the medium and is open', async () => {
  const media = randomUUID();
  const shop = await createMediaShop(app, { external_asset_id: media });
  await createItem(app, shop.merchant, { item_type: 'jw_asset', external_asset_id: media });
  expect((await ask(shop.consumer, media)).status).toBe(200);
});

test('402 access_not_found: who has no access to the item', async () => {
  const media = randomUUID();
  const { merchant } = await createMediaShop(app, { external_asset_id: media });
  const { status, body } = await ask(await createConsumer(app, merchant), media);
  expect([status, body.error]).toEqual([402, 'access_not_found']);
});

test('402 access_restricted: who may not see the item', async () => {
  const media = randomUUID();
  const { merchant, item, consumer } = await createMediaShop(app, { external_asset_id: media });
  await app.pool.query('INSERT INTO age_restrictions (merchant_id, item_id, min_age) VALUES ($1, $2, 18)', [
    merchant.id,
    item.id,
  ]);
  const { status, body } = await ask(consumer, media);
  expect([status, body.error]).toEqual([402, 'access_restricted']);
});

test('404 media_not_found: of no item, or of another merchant’s', async () => {
  const media = randomUUID();
  const [shop] = [await createMediaShop(app), await createMediaShop(app, { external_asset_id: media })];
  for (const id of [media, 'unknown']) {
    const { status, body } = await ask(shop.consumer, id);
    expect([status, body.error]).toEqual([404, 'media_not_found']);
  }
});

test('409 media_not_configured: the merchant has set no secret', async () => {
  const shop = await createShop(app);
  const item = await createItem(app, shop.merchant, { item_type: 'jw_asset', external_asset_id: 'clip' });
  await grant(app, { ...shop, item }, { from: '-1 hour', to: '1 hour' });
  const { status, body } = await ask(shop.consumer, 'clip');
  expect([status, body.error]).toEqual([409, 'media_not_configured']);
});
