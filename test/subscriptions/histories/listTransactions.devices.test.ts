import { call } from '../../support/client';
import { purchase, reaches, type Submitted } from '../../support/factories';
import { createPayShop, settles, withFee, type SubmittedPayment } from '../../support/payments';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

const phone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148';
const roku = 'Roku/DVP-12.5 (12.5.0.4178-88)';

test('200: on what device, and on what continent, a payment and a subscription were bought', async () => {
  const shop = await createPayShop(app);
  const { token } = shop.consumer;
  const by = (userAgent: string) => ({ token, headers: { 'User-Agent': userAgent } });
  const { body: paid } = await call<SubmittedPayment>(app, 'POST', '/payments', purchase(shop), by(phone));
  await settles(app, paid.transaction, 'paid');
  const monthly = await withFee(app, shop, {});
  const { body } = await call<Submitted>(app, 'POST', '/subscriptions', purchase(monthly), by(roku));
  await reaches(app, shop.consumer, body.subscription_id, 'active');
  await app.pool.query(`UPDATE payments SET country_iso = 'MK' WHERE token = $1`, [paid.transaction]);
  const list = await call(app, 'GET', '/payments/transactions', undefined, shop.merchant);
  expect(list.body).toMatchObject({
    collection: [
      { device: { type: 'tv', os: 'Roku OS', model: 'Roku' }, country: '', continent: '' },
      { device: { type: 'mobile', os: 'iOS', model: 'iPhone' }, country: 'North Macedonia', continent: 'Europe' },
    ],
  });
});
