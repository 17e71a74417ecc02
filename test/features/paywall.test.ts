import { giveByHand } from '../support/access';
import { pathOf, signedInAt } from '../support/checkout';
import { call } from '../support/client';
import { createFee, createItem, createShop, password, purchase, type Shop } from '../support/factories';
import { PageWalker } from '../support/pageWalker';
import { createWebhook, listDeliveries, publishEvents, startReceiver } from '../support/webhooks';
import { startApp, type TestApp } from '../support/startApp';
import { createVoucher, giveGift } from '../support/vouchers';
import { until } from '../support/until';

/** A feature that a merchant turns off disappears from its paywall, from purchases and from background work. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ WEBHOOK_ALLOW_PRIVATE: 'true' });
  await app.startWorker();
});

afterAll(() => app.stop());

const turn = (shop: Shop, name: string, enabled: boolean) =>
  call(app, 'PUT', `/v2/features/${name}`, { enabled }, shop.merchant);

test('a voucher is not found while vouchers are off, and counts again when they are on', async () => {
  const shop = await createShop(app);
  const { code } = await createVoucher(app, shop.merchant, { discount: 50 });
  const buy = () => call(app, 'POST', '/subscriptions', { ...purchase(shop), voucher_code: code }, shop.consumer);
  await turn(shop, 'vouchers', false);
  expect(await buy()).toMatchObject({ status: 404, body: { error: 'voucher_not_found' } });
  await turn(shop, 'vouchers', true);
  expect((await buy()).status).toBe(202);
});

test('webhooks wait while they are off, and go out when they are on', async () => {
  const shop = await createShop(app);
  const receiver = await startReceiver();
  const { id } = await createWebhook(app, shop.merchant, { url: receiver.url });
  await turn(shop, 'webhooks', false);
  await publishEvents(shop.merchant, ['access.granted']);
  const { deliverWebhooks } = await import('../../src/webhooks/rounds.js');
  expect(await deliverWebhooks(id)).toEqual({ state: 'stopped' });
  expect(receiver.received).toEqual([]);
  await turn(shop, 'webhooks', true);
  await publishEvents(shop.merchant, ['access.revoked']);
  await until(async () => (await listDeliveries(app, shop.merchant, id, 'delivered')).length === 2);
  await receiver.stop();
});

test('the paywall offers no gift and asks for no voucher, once both are off', async () => {
  const shop = await createShop(app);
  const { id } = await createItem(app, shop.merchant, { is_giftable: true });
  await createFee(app, shop.merchant, id, { access_type: 'ppv', quantity: 2, period: 'day', amount: '5.00' });
  const own = `/paywall/${shop.merchant.uuid}/${id}`;
  const walker = new PageWalker(app);
  await walker.open(`${own}?step=sign-in`);
  await walker.submit(`${own}/sign-in`, { username: shop.consumer.email, password });
  const shows = async () => {
    const { text } = await walker.open(own);
    return { voucher: text.includes('name="voucher_code"'), gift: text.includes('gift=true') };
  };
  expect(await shows()).toEqual({ voucher: true, gift: true });
  await turn(shop, 'gifts', false);
  expect(await shows()).toEqual({ voucher: true, gift: false });
  await turn(shop, 'vouchers', false);
  expect(await shows()).toEqual({ voucher: false, gift: false });
});

test('neither the offer, nor the page of the content, nor the portal leads to gifts that are off', async () => {
  const shop = await createShop(app, { access_type: 'ppv', quantity: 2, period: 'day' });
  await call(app, 'PATCH', `/v2/items/${shop.item.id}`, { is_giftable: true }, shop.merchant);
  // Gifts need an activated account.
  await app.pool.query('UPDATE accounts SET activated_at = now() WHERE id = $1', [shop.consumer.id]);
  await giveGift(shop, shop.consumer.email);
  const walker = await signedInAt(app, shop);
  const links = async () => {
    const offer = await new PageWalker(app).open(pathOf(shop));
    const content = await walker.open(pathOf(shop));
    const gifts = await walker.open(`/portal/${shop.merchant.uuid}/gifts`);
    const given = (text: string) => text.includes('gift=true');
    expect([content.text.includes('content-frame'), gifts.text.includes(shop.item.title)]).toEqual([true, true]);
    return [given(offer.text), given(content.text), gifts.text.includes(`href="${pathOf(shop)}"`)];
  };
  await giveByHand(app, shop);
  expect(await links()).toEqual([true, true, true]);
  await turn(shop, 'gifts', false);
  expect(await links()).toEqual([false, false, false]);
});
