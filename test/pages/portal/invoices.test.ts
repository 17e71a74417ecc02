import { createConsumer, password } from '../../support/factories';
import { createTaxedShop, issued } from '../../support/invoices';
import { PageWalker } from '../../support/pageWalker';
import { paid, refund, refunded } from '../../support/payments';
import { wordsOf } from '../../support/receipts';
import { startApp, type TestApp } from '../../support/startApp';

/** The invoices and credit notes of a customer in the portal. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});
afterAll(() => app.stop());

async function enter(portal: string, email: string): Promise<PageWalker> {
  const walker = new PageWalker(app);
  await walker.open(`${portal}/sign-in`);
  await walker.submit(`${portal}/sign-in`, { username: email, password });
  return walker;
}

test('200: a customer sees and downloads the invoice of a payment and the credit note of its refund', async () => {
  const shop = await createTaxedShop(app);
  const token = await paid(app, shop);
  await refund(app, shop.merchant, token);
  await refunded(app, token);
  const [invoice, note] = await issued(app, shop.merchant);
  const portal = `/portal/${shop.merchant.uuid}`;
  const walker = await enter(portal, shop.consumer.email);
  const { text } = await walker.open(`${portal}/receipts`);
  expect(text).toContain('€0.72');
  const links = [...text.matchAll(/href="([^"]*\/receipts\/[\w-]+)[^"]*"/g)].map(([, path = '']) => path);
  expect(links).toHaveLength(2);
  const words: string[] = [];
  for (const path of links)
    words.push(await wordsOf(await fetch(`${app.address}${path}`, { headers: { Cookie: walker.cookies } })));
  const [ofRefund, ofPayment] = words;
  for (const expected of ['Credit note', note?.number ?? '', `Corrects ${invoice?.number}`, '-€3.78 -€0.72 -€4.50'])
    expect(ofRefund).toContain(expected);
  for (const expected of ['Invoice', invoice?.number ?? '', '€3.78 €0.72 €4.50']) expect(ofPayment).toContain(expected);

  const neighbour = await createConsumer(app, shop.merchant);
  const other = await enter(portal, neighbour.email);
  for (const path of links) expect((await other.open(path)).status).toBe(404);
});
