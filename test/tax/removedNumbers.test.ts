import { signedInAt } from '../support/checkout';
import { call } from '../support/client';
import { type Shop } from '../support/factories';
import { mailsTo, receives } from '../support/mailbox';
import { enterConsole } from '../support/pageWalker';
import { createPayShop, paid, withItem } from '../support/payments';
import { startApp, type TestApp } from '../support/startApp';
import { atHome, nameSeller } from '../support/tax';
import { saying, startViesServer, type ViesServer } from '../support/viesServer';

/** VIES no longer contains a confirmed tax number. The customer gets a mail, the merchant sees it, and the next charge has tax. */

let app: TestApp;
let vies: ViesServer;

beforeAll(async () => {
  vies = await startViesServer();
  app = await startApp({ VIES_URL: vies.url });
  await app.startWorker();
});
afterAll(async () => {
  await app.stop();
  await vies.stop();
});

const path = '/v2/accounts/billing-details';
const austria = { country: 'AT', tax_number: 'ATU13585627' };
const oss = { country: 'DE', scheme: 'oss', number: 'EU276000001' };

/** A business whose confirmed number is looked up after 31 days. */
async function lookUpAfterMonth({ consumer }: Shop, told: string): Promise<void> {
  await app.pool.query(
    `UPDATE billing_details SET tax_number_confirmed_at = now() - interval '31 days' WHERE account_id = $1`,
    [consumer.id],
  );
  vies.answer = saying(told);
  const { lookUpTaxNumbers } = await import('../../src/tax/numberLookUps.js');
  await lookUpTaxNumbers();
}

async function createBusiness(): Promise<Shop> {
  const shop = await createPayShop(app, { amount: '12.00' });
  await nameSeller(app, shop, [atHome, oss]);
  vies.answer = saying('VALID');
  const { body } = await call(app, 'PUT', path, austria, shop.consumer);
  expect(body).toMatchObject({ tax_number_state: 'confirmed', removed_tax_number: '' });
  return shop;
}

const taxes = async ({ merchant }: Shop) =>
  (
    await app.pool.query<{ treatment: string; tax: number }>(
      'SELECT treatment, tax_minor::int AS tax FROM charge_taxes WHERE merchant_id = $1 ORDER BY charge_id',
      [merchant.id],
    )
  ).rows;

test('the next charge has tax, and the past one stays', async () => {
  const shop = await createBusiness();
  await paid(app, shop);
  await lookUpAfterMonth(shop, 'INVALID');
  await paid(app, await withItem(app, shop, { amount: '12.00' }));
  expect(await taxes(shop)).toEqual([
    { treatment: 'reverse_charge', tax: 0 },
    { treatment: 'oss', tax: 200 },
  ]);
});

test('the customer gets one mail, and a notice in the portal until the details are saved again', async () => {
  const shop = await createBusiness();
  await lookUpAfterMonth(shop, 'INVALID');
  const mail = await receives(app, shop.merchant, shop.consumer.email, 'tax_number_removed');
  expect(mail.text).toContain('ATU13585627');
  expect(mail.text).toContain(`/portal/${shop.merchant.uuid}/billing`);
  await lookUpAfterMonth(shop, 'INVALID');
  const mails = await mailsTo(app, shop.merchant, shop.consumer.email);
  expect(mails.filter(({ template }) => template === 'tax_number_removed')).toHaveLength(1);
  const walker = await signedInAt(app, shop);
  const portal = `/portal/${shop.merchant.uuid}/billing`;
  const notice = 'The tax number ATU13585627 is not registered in the European Union (VIES)';
  expect((await walker.open(portal)).text).toContain(notice);
  vies.answer = saying('VALID');
  await walker.submit(portal, { billing_country: 'DE', billing_tax_number: 'DE136695976' });
  expect((await walker.open(portal)).text).not.toContain(notice);
});

test('the merchant sees it on the overview for 30 days, and on the page of the customer', async () => {
  const shop = await createBusiness();
  const walker = await enterConsole(app, shop.merchant.email);
  const page = `/console/customers/${shop.consumer.id}`;
  expect((await walker.open(page)).text).toMatch(/ATU13585627 · confirmed by VIES on/);
  expect((await walker.open('/console')).text).not.toContain('not registered');
  await lookUpAfterMonth(shop, 'INVALID');
  const overview = (await walker.open('/console')).text;
  expect(overview).toContain(`href="${page}"`);
  expect(overview).toContain(`${shop.consumer.email}: the tax number is not registered`);
  expect(overview).toContain('ATU13585627 was removed.');
  await app.pool.query(`UPDATE billing_details SET tax_number_removed_at = now() - interval '31 days'`);
  expect((await walker.open('/console')).text).not.toContain('not registered');
  expect((await walker.open(page)).text).toContain('ATU13585627 is not registered in VIES.');
});

test('a merchant does not see the numbers of another one’s customers', async () => {
  const [shop, other] = [await createBusiness(), await createBusiness()];
  await lookUpAfterMonth(shop, 'INVALID');
  const walker = await enterConsole(app, other.merchant.email);
  expect((await walker.open('/console')).text).not.toContain('not registered');
});

test.each(['VALID', 'MS_UNAVAILABLE', 'INVALID_INPUT'])('nobody is told when VIES says %s', async (told) => {
  const shop = await createBusiness();
  await lookUpAfterMonth(shop, told);
  expect((await call(app, 'GET', path, undefined, shop.consumer)).body).toMatchObject({
    ...austria,
    removed_tax_number: '',
  });
  const mails = await mailsTo(app, shop.merchant, shop.consumer.email);
  expect(mails.map(({ template }) => template)).not.toContain('tax_number_removed');
});
