import { compare } from '../../support/differences';
import { createMerchant, createShop, reaches, subscribe } from '../../support/factories';
import { entriesOf, journalFaults } from '../../support/journal';
import { control } from '../../support/providerBooks';
import { startApp, type TestApp } from '../../support/startApp';

/** The payouts of an account that belongs to the installation. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});
afterAll(() => app.stop());

test('payouts of the sandbox are the only merchant’s, and nobody’s once there are two merchants', async () => {
  const shop = await createShop(app);
  const booked = () => entriesOf(app.pool, shop.merchant.id, 'payout');
  await expect(control('payouts', { currency: 'EUR' })).rejects.toThrow('There is nothing in EUR to pay out.');
  const { body } = await subscribe(app, shop);
  await reaches(app, shop.consumer, body.subscription_id, 'active');
  // 9.99, less 0.30 fee.
  const { reference } = (await control('payouts', { currency: 'EUR' })) as { reference: string };
  await expect(control('payouts', { currency: 'EUR' })).rejects.toThrow('There is nothing in EUR to pay out.');
  await compare(app);
  expect(await booked()).toEqual(['bank > payment_provider 969']);

  for (const again of [reference, reference]) await control('failed-payouts', { reference: again });
  await compare(app);
  expect(await booked()).toEqual(['bank > payment_provider 969', 'payment_provider > bank 969']);
  await expect(control('failed-payouts', { reference: 'po_1' })).rejects.toThrow('There is no such payout.');

  await createMerchant(app);
  await control('payouts', { currency: 'EUR' });
  await compare(app);
  expect(await booked()).toHaveLength(2);
  expect(await journalFaults(app.pool)).toEqual([]);
});
