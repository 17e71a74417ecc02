import { call, listen } from '../support/client';
import { createFee, reaches, subscribe } from '../support/factories';
import { createPayShop, pay, refund, settles } from '../support/payments';
import { pathOf, signedInAt } from '../support/checkout';
import { type PageWalker } from '../support/pageWalker';
import { startApp, type TestApp } from '../support/startApp';
import { nameSeller } from '../support/tax';

/** The tax is shown before the payment, and told after it, beside the gross amounts. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

const monthly = { access_type: 'subscription', access_period: { quantity: 1, period: 'month' } };
const austria = { country: 'AT', name: 'Wien GmbH', tax_number: 'ATU13585627' };

test('the checkout shows the tax within the total, and takes the details of a business', async () => {
  const shop = await createPayShop(app);
  const walker = await signedInAt(app, shop);
  expect((await walker.open(pathOf(shop))).text).not.toContain('Includes');
  await nameSeller(app, shop);
  const { text } = await walker.open(pathOf(shop));
  expect(text).toContain('Includes €0.72 tax (19%)');
  expect(text).toContain('Billing address and tax number');
  const fields = { fee: String(shop.fee.id), do: 'billing', billing_country: 'AT', billing_name: 'Wien GmbH' };
  const wrong = await walker.submit(`${pathOf(shop)}/price`, { ...fields, billing_tax_number: 'ATU13585628' });
  expect(wrong.status).toBe(422);
  expect(wrong.text).toContain('Includes €0.72 tax (19%)');
  const right = await walker.submit(`${pathOf(shop)}/price`, { ...fields, billing_tax_number: 'ATU13585627' });
  expect(right.status).toBe(200);
  expect(right.text).toContain('No tax is charged');
  const { body } = await call(app, 'GET', '/v2/accounts/billing-details', undefined, shop.consumer);
  expect(body).toMatchObject(austria);
});

test('the portal shows and saves the billing details', async () => {
  const shop = await createPayShop(app);
  const portal = `/portal/${shop.merchant.uuid}`;
  const walker: PageWalker = await signedInAt(app, shop);
  expect((await walker.open(`${portal}/receipts`)).text).toContain(`href="${portal}/billing"`);
  await walker.open(`${portal}/billing`);
  const refused = await walker.submit(`${portal}/billing`, { billing_country: 'AT', billing_tax_number: 'nonsense' });
  expect(refused.status).toBe(422);
  const saved = await walker.submit(`${portal}/billing`, { billing_country: 'AT', billing_tax_number: 'ATU13585627' });
  expect([saved.status, saved.headers.get('location')]).toEqual([303, `${portal}/billing?done=saved`]);
  expect((await walker.open(`${portal}/billing`)).text).toContain('value="ATU13585627"');
});

test('the events of a payment and of its refund have the tax beside the gross amount', async () => {
  const shop = await createPayShop(app);
  await nameSeller(app, shop);
  const channel = await listen(app, shop.consumer);
  const { body } = await pay(app, shop);
  const whole = { amount: '4.50', net_amount: '3.78', tax_amount: '0.72', tax_rate: 19, tax_country: 'DE' };
  expect((await channel.hears('payment.card.success')).resource).toMatchObject(whole);
  await settles(app, body.transaction, 'paid');
  await refund(app, shop.merchant, body.transaction, { amount: 1.5 });
  const part = { amount: '1.50', net_amount: '1.26', tax_amount: '0.24', tax_rate: 19, tax_country: 'DE' };
  expect((await channel.hears('payment.refund.success')).resource).toMatchObject(part);
  await channel.close();
});

test('the event of a first period has its tax, and none without a seller', async () => {
  const [taxed, plain] = [await createPayShop(app, monthly), await createPayShop(app, monthly)];
  await nameSeller(app, taxed);
  const [heard, heardPlain] = await Promise.all(
    [taxed, plain].map(async (shop) => {
      const channel = await listen(app, shop.consumer);
      await subscribe(app, shop);
      const { resource } = await channel.hears('subscribe.success');
      await channel.close();
      return resource;
    }),
  );
  expect(heard).toMatchObject({ amount: '4.50', net_amount: '3.78', tax_amount: '0.72' });
  expect(Object.keys(heardPlain ?? {}).filter((name) => name.startsWith('tax'))).toEqual([]);
});

test('the preview of another plan has the tax within its total', async () => {
  const shop = await createPayShop(app, monthly);
  await nameSeller(app, shop);
  const { body } = await subscribe(app, shop);
  await reaches(app, shop.consumer, body.subscription_id, 'active');
  const fee = await createFee(app, shop.merchant, shop.item.id, { ...monthly, amount: '45.00', description: 'Gold' });
  const path = `/subscriptions/${body.subscription_id}/switch:preview`;
  const preview = await call<Record<'total' | 'net_amount' | 'tax_amount' | 'tax_rate', number>>(
    app,
    'POST',
    path,
    { access_fee_id: fee.id },
    shop.consumer,
  );
  const { total, net_amount: net, tax_amount: tax, tax_rate: rate } = preview.body;
  expect(total).toBeGreaterThan(0);
  expect([Math.round((net + tax) * 100), rate]).toEqual([Math.round(total * 100), 19]);
  expect(Math.round(tax * 100)).toBe(Math.round((total * 100 * 19) / 119));
});
