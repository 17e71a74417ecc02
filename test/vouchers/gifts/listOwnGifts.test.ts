import { type z } from 'zod';
import { type OwnGiftPage } from '../../../src/vouchers/gifts.schemas';
import { call } from '../../support/client';
import { createConsumer, createMerchant, createShop, type Person, type Shop } from '../../support/factories';
import {
  askForChange,
  confirmAndUndo,
  confirmEmail,
  createActiveConsumer,
  newAddress,
  requestEmail,
} from '../../support/emailChanges';
import { receives, tokenIn } from '../../support/mailbox';
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

describe('after a change of the address', () => {
  async function moved() {
    const shop = await createShop(app);
    const people = await createActiveConsumer(app, shop.merchant);
    const { giftId, code } = await giveGift(shop, people.consumer.email);
    const asked = await askForChange(app, people);
    await confirmAndUndo(app, asked);
    return { shop, giftId, code, ...asked };
  }

  const discountFor = async ({ shop, code }: { shop: Shop; code: string }, person: Person) =>
    (await call(app, 'POST', '/vouchers/discount', { voucher_code: code, access_fee_id: shop.fee.id }, person)).status;

  test('200: a gift for the former address still waits, and its code is valid', async () => {
    const all = await moved();
    expect((await received(all.consumer)).collection).toMatchObject([{ id: all.giftId, status: 'bought' }]);
    expect(await discountFor(all, all.consumer)).toBe(200);
    // A gift that is bought later may be for the next reader of the mailbox, who gets the code by mail.
    const later = await giveGift(all.shop, all.consumer.email);
    expect((await received(all.consumer)).total).toBe(1);
    expect(await discountFor({ ...all, code: later.code }, all.consumer)).toBe(200);
    const neighbour = await createConsumer(app, all.merchant);
    await activate(neighbour);
    expect([(await received(neighbour)).total, await discountFor(all, neighbour)]).toEqual([0, 404]);
  });

  test('200: a stranger who has the address now gets its gifts, and who had it before does not', async () => {
    const all = await moved();
    await app.pool.query('UPDATE email_changes SET undo_until = now() WHERE account_id = $1', [all.consumer.id]);
    const stranger = await createConsumer(app, all.merchant);
    const take = 'UPDATE accounts SET email = $2, email_normalized = $2, activated_at = now() WHERE id = $1';
    await app.pool.query(take, [stranger.id, all.consumer.email]);
    expect([(await received(all.consumer)).total, (await received(stranger)).total]).toEqual([0, 1]);
    expect([await discountFor(all, all.consumer), await discountFor(all, stranger)]).toEqual([404, 200]);
  });

  test('200: an address that was never proved brings nothing', async () => {
    const shop = await createShop(app);
    const thief = await createConsumer(app, shop.merchant);
    const email = newAddress();
    const { code } = await giveGift(shop, thief.email);
    await requestEmail(app, thief, { email });
    expect((await confirmEmail(app, tokenIn(await receives(app, shop.merchant, email, 'email_change')))).status).toBe(
      200,
    );
    expect([(await received(thief)).total, await discountFor({ shop, code }, thief)]).toEqual([0, 404]);
  });

  test('200: a customer of another merchant with the same address changes nothing', async () => {
    const all = await moved();
    const other = await createConsumer(app, await createMerchant(app));
    await app.pool.query('UPDATE accounts SET email = $2, email_normalized = $2 WHERE id = $1', [
      other.id,
      all.consumer.email,
    ]);
    expect((await received(all.consumer)).total).toBe(1);
  });
});

test('422 invalid_input: a direction that there is not', async () => {
  const { consumer } = await createShop(app);
  const reply = await call(app, 'GET', '/accounts/gifts?direction=lost', undefined, consumer);
  expect(reply).toMatchObject({ status: 422, body: { errors: { direction: expect.any(String) as string } } });
});
