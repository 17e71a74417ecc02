import { check, createPackage, giveByHand, takeAway } from '../../../support/access';
import { listen } from '../../../support/client';
import { createFee, createShop } from '../../../support/factories';
import { grant } from '../../../support/grant';
import { type ErrorBody } from '../../../support/raw';
import { startApp, type TestApp } from '../../../support/startApp';

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

test('200: no access from the answer on, and access.revoked once, however often it is asked', async () => {
  const shop = await createShop(app);
  const { merchant, consumer, item } = shop;
  const packageId = await createPackage(app, merchant, [item.id]);
  const { body } = await giveByHand(app, shop);
  const listening = await listen(app, consumer);
  const replies = await Promise.all(Array.from({ length: 5 }, () => takeAway(app, shop, body.id)));
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
  expect(replies[0]?.body).toMatchObject({ code: 200, message: 'Access successfully revoked' });
  expect((await check(app, item.id, consumer)).status).toBe(402);
  const { resource } = await listening.hears('access.revoked');
  expect(resource).toEqual({ item_id: item.id, package_collection: [packageId] });
  expect((await takeAway(app, shop, body.id)).status).toBe(200);
  await giveByHand(app, shop);
  await listening.hears('access.granted');
  expect(listening.heard.map(({ type }) => type)).toEqual(['access.revoked', 'access.granted']);
  await listening.close();
});

test.each([
  [undefined, 2],
  ['extend_same_item', 2],
  ['start_now', 1],
])(
  '200: what was given to follow on it is not open for longer than it is worth itself, by %s',
  async (when_owned, days) => {
    const shop = await createShop(app);
    const fields = { access_type: 'ppv', quantity: 1, period: 'day', ...(when_owned !== undefined && { when_owned }) };
    const fee = await createFee(app, shop.merchant, shop.item.id, fields);
    const give = async () => (await giveByHand(app, shop, { expires_at: undefined, access_fee_id: fee.id })).body;
    const [first, second] = [await give(), await give()];
    const lastsUntil = async () => (await check(app, shop.item.id, shop.consumer)).body.expires_at;
    const inDays = (unix: number) => Math.round((unix - first.starts_at) / 86_400);
    expect([inDays(first.expires_at), inDays(second.expires_at), inDays(await lastsUntil())]).toEqual([1, days, days]);
    await takeAway(app, shop, first.id);
    expect(inDays(await lastsUntil())).toBe(1);
  },
);

test('200: another entitlement to the item goes on', async () => {
  const shop = await createShop(app);
  const bought = await grant(app, shop, { from: '-1 hour', to: '1 hour' });
  const { body } = await giveByHand(app, shop);
  expect((await check(app, shop.item.id, shop.consumer)).body.id).toBe(body.id);
  await takeAway(app, shop, body.id);
  expect((await check(app, shop.item.id, shop.consumer)).body.id).toBe(bought.id);
});

test('404 access_record_not_found: another merchant’s, and none at all; both stay as they are', async () => {
  const [shop, other] = [await createShop(app), await createShop(app)];
  const { body } = await giveByHand(app, other);
  for (const id of [body.id, 2_147_483_646]) {
    const reply = await takeAway(app, shop, id);
    expect([reply.status, (reply.body as unknown as ErrorBody).message]).toEqual([404, 'Access not found']);
  }
  expect((await check(app, other.item.id, other.consumer)).status).toBe(200);
});
