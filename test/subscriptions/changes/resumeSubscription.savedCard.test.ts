import { call, requestChange } from '../../support/client';
import { createFee, createShop, reaches } from '../../support/factories';
import { chargesOf } from '../../support/ledger';
import { openPortalElsewhere } from '../../support/portalCards';
import { question } from '../../support/savedCards';
import { startApp, type TestApp } from '../../support/startApp';
import { passDays } from '../../support/testClock';
import { createVoucher } from '../../support/vouchers';

/** The first use of a saved card in a browser. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});
afterAll(() => app.stop());

test('409 card_confirmation_required: the end of a pause charges a card that the browser has not used', async () => {
  const { shop, id, path, walker, confirm } = await openPortalElsewhere(app);
  await requestChange(app, 'POST', `/subscriptions/${id}/pause`, {}, shop.consumer);
  // A planned pause is taken back without a charge.
  expect((await walker.submit(`${path}/resume`)).status).toBe(303);
  await requestChange(app, 'POST', `/subscriptions/${id}/pause`, {}, shop.consumer);
  await passDays(app, shop.merchant, 33);
  await reaches(app, shop.consumer, id, 'paused');
  const asked = await walker.submit(`${path}/resume`);
  expect([asked.status, asked.text.includes(question)]).toEqual([409, true]);
  const { status, headers } = await confirm();
  expect([status, headers.get('location')]).toEqual([303, path]);
  expect((await walker.submit(`${path}/resume`)).status).toBe(303);
});

test('409 card_confirmation_required: the voucher that pays the plan before the pause is not valid for the next one', async () => {
  const { shop, id, path, walker } = await openPortalElsewhere(app, await freeForThisFee());
  const fee = await createFee(app, shop.merchant, shop.item.id, { amount: '1.99' });
  await requestChange(app, 'POST', `/subscriptions/${id}/pause`, {}, shop.consumer);
  const later = { access_fee_id: fee.id, mode: 'next_period' };
  expect((await requestChange(app, 'POST', `/subscriptions/${id}/switch`, later, shop.consumer)).status).toBe(200);
  await passDays(app, shop.merchant, 33);
  await reaches(app, shop.consumer, id, 'paused');
  const asked = await walker.submit(`${path}/resume`);
  expect([asked.status, asked.text.includes(question)]).toEqual([409, true]);
  expect((await chargesOf(app, id)).map(({ amount }) => amount)).toEqual([0]);
});

test('303: the voucher pays the next period too, so no card is charged and no code is asked for', async () => {
  const { shop, id, path, walker } = await openPortalElsewhere(app, await freeForThisFee());
  await requestChange(app, 'POST', `/subscriptions/${id}/pause`, {}, shop.consumer);
  await passDays(app, shop.merchant, 33);
  await reaches(app, shop.consumer, id, 'paused');
  expect((await walker.submit(`${path}/resume`)).status).toBe(303);
});

/** A shop with a voucher that pays each period of its fee, and of no other fee. */
async function freeForThisFee() {
  const shop = await createShop(app);
  const { id, code } = await createVoucher(app, shop.merchant, { discount: 100, discount_period: 'forever' });
  await call(app, 'POST', `/vouchers/${id}/access_fees`, { value: shop.fee.id }, shop.merchant);
  return { shop, voucherCode: code };
}
