import { type z } from 'zod';
import { type OwnGiftPage } from '../../../src/vouchers/gifts.schemas';
import { call } from '../../support/client';
import { createConsumer, createShop, type Person } from '../../support/factories';
import { startApp, type TestApp } from '../../support/startApp';
import { giveGift } from '../../support/vouchers';

let app: TestApp;

beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

const list = async (person: Person, query = '') =>
  (await call<z.output<typeof OwnGiftPage>>(app, 'GET', `/accounts/gifts${query}`, undefined, person)).body;
const received = (person: Person) => list(person, '?direction=received');
const activate = ({ id }: Person) => app.pool.query('UPDATE accounts SET activated_at = now() WHERE id = $1', [id]);

test('200: what the consumer has bought, the newest first, without code and price', async () => {
  const shop = await createShop(app);
  const first = await giveGift(shop, 'Bea@example.org');
  const second = await giveGift(shop);
  const page = await list(shop.consumer, '?page=2&size=1');
  expect(page).toMatchObject({ total: 2, page: 2, limit: 1 });
  expect(page.collection).toEqual([
    {
      id: first.giftId,
      item_id: shop.item.id,
      item_title: 'Cup final',
      access_fee_description: 'Monthly pass',
      receiver_email: 'Bea@example.org',
      status: 'bought',
      deliver_on: 0,
      created_at: expect.any(Number) as number,
      redeemed_at: 0,
    },
  ]);
  expect((await list(shop.consumer)).collection[0]?.id).toBe(second.giftId);
  expect(JSON.stringify(await list(shop.consumer))).not.toContain(second.code);
});

test('200: what waits for the consumer, once the address is known to be its own, from the day on that brings it', async () => {
  const shop = await createShop(app);
  const friend = await createConsumer(app, shop.merchant);
  const { giftId } = await giveGift(shop, friend.email.toUpperCase());
  expect((await received(friend)).total).toBe(0);
  await activate(friend);
  expect((await received(friend)).collection).toMatchObject([{ id: giftId, status: 'bought' }]);
  const later = `UPDATE gift_vouchers SET deliver_on = now() + interval '1 day' WHERE id = $1`;
  await app.pool.query(later, [giftId]);
  expect((await received(friend)).total).toBe(0);
});

test('200: nobody else’s: neither another receiver’s, nor what another merchant’s customer was given', async () => {
  const [shop, other] = [await createShop(app), await createShop(app)];
  await giveGift(shop, shop.consumer.email);
  const neighbour = await createConsumer(app, shop.merchant);
  for (const person of [neighbour, other.consumer]) {
    await activate(person);
    expect([(await received(person)).total, (await list(person)).total]).toEqual([0, 0]);
  }
  await app.pool.query('UPDATE gift_vouchers SET receiver_email_normalized = $2 WHERE merchant_id = $1', [
    shop.merchant.id,
    other.consumer.email,
  ]);
  expect((await received(other.consumer)).total).toBe(0);
});

test('422 invalid_input: a direction that there is not', async () => {
  const { consumer } = await createShop(app);
  const reply = await call(app, 'GET', '/accounts/gifts?direction=lost', undefined, consumer);
  expect(reply).toMatchObject({ status: 422, body: { errors: { direction: expect.any(String) as string } } });
});
