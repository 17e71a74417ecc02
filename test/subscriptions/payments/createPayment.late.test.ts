import { call, listen } from '../../support/client';
import { createPayShop, payWithAuthentication, refunded } from '../../support/payments';
import { startApp, type TestApp } from '../../support/startApp';
import { passDays } from '../../support/testClock';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterAll(() => app.stop());

test('payment.card.failed: approved after the fixed date of the fee, the money goes back', async () => {
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  const shop = await createPayShop(app, { access_type: 'ppv_custom', expires_at: tomorrow });
  const asked = await payWithAuthentication(app, shop);
  await passDays(app, shop.merchant, 2);
  const channel = await listen(app, shop.consumer);
  await asked.answer('approved');
  expect((await channel.hears('payment.card.failed')).resource).toMatchObject({ message: 'The offer has ended.' });
  await channel.hears('payment.refund.success');
  await channel.close();
  expect(await refunded(app, asked.id)).toMatchObject([{ amount: 450 }]);
  expect((await call(app, 'GET', `/items/${shop.item.id}/access`, undefined, shop.consumer)).status).toBe(402);
});
