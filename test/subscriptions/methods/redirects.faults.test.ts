import { call } from '../../support/client';
import { charged } from '../../support/debits';
import { reaches } from '../../support/factories';
import { findPaymentFaults, settles } from '../../support/payments';
import { isErased, requestErasure } from '../../support/privacy';
import { control, queryBooks } from '../../support/providerBooks';
import { buy, buyOnPage, createRedirectShop } from '../../support/redirects';
import { startApp, type TestApp } from '../../support/startApp';

/** The sandbox fails while a payment on a page of the bank begins, waits and ends. */

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
  await app.startWorker();
});

afterEach(() => control('faults', undefined, 'DELETE'));
afterAll(() => app.stop());

const fail = (kind: string, on: string, times = 1) => control('faults', { kind, on, times });

test('503 service_unavailable: nothing is written while the provider is down, and the next try pays', async () => {
  const shop = await createRedirectShop(app, 'payment');
  await fail('unavailable', 'redirects');
  expect(await buy(app, shop, 'payment')).toMatchObject({ status: 503, body: { error: 'service_unavailable' } });
  const { rows } = await app.pool.query('SELECT 1 FROM payments WHERE account_id = $1', [shop.consumer.id]);
  expect(rows).toEqual([]);
  const page = await buyOnPage(app, shop, 'payment');
  await page.answer('approved');
  await settles(app, page.id, 'paid');
});

test.each(['lost', 'cut'])(
  'payment.ideal.requires.action: an answer that is %s has one page all the same',
  async (kind) => {
    const shop = await createRedirectShop(app, 'payment');
    await fail(kind, 'charges');
    const page = await buyOnPage(app, shop, 'payment');
    const { rows } = await queryBooks(app.pool, 'SELECT reference FROM sandbox_charges WHERE idempotency_key = $1', [
      page.id,
    ]);
    expect(rows).toEqual([{ reference: page.pi }]);
    await page.answer('approved');
    await settles(app, page.id, 'paid');
    expect(await findIdealFaults(page.id)).toEqual([]);
  },
);

test('active: the provider does not know the outcome at first, and the mandate is kept all the same', async () => {
  const shop = await createRedirectShop(app, 'subscription');
  const page = await buyOnPage(app, shop, 'subscription');
  await fail('unavailable', 'charges', 2);
  await page.answer('approved');
  await reaches(app, shop.consumer, page.id, 'active');
  const { rows } = await app.pool.query(
    'SELECT c.is_single_use, c.last_four FROM cards c JOIN subscriptions s ON s.card_id = c.id WHERE s.token = $1',
    [page.id],
  );
  expect(rows).toEqual([{ is_single_use: false, last_four: '3000' }]);
});

test('200: an erased payer owes nothing, and the page takes no money any more', async () => {
  const shop = await createRedirectShop(app, 'payment');
  const page = await buyOnPage(app, shop, 'payment');
  expect((await requestErasure(app, shop.consumer)).status).toBe(202);
  await isErased(app, shop.consumer.id);
  await charged(app, page.id, 'declined');
  await page.answer('approved');
  const { rows } = await queryBooks(app.pool, 'SELECT status FROM sandbox_charges WHERE idempotency_key = $1', [
    page.id,
  ]);
  expect(rows).toEqual([{ status: 'declined' }]);
});

test('404 payment_not_found: nothing waits on the page of a payment that has ended', async () => {
  const shop = await createRedirectShop(app, 'payment');
  const page = await buyOnPage(app, shop, 'payment');
  await page.answer('refused');
  await settles(app, page.id, 'failed');
  expect(await call(app, 'GET', new URL(page.redirectTo).pathname)).toMatchObject({ status: 404 });
});

/** The faults in all books, apart from the names of the events. */
const findIdealFaults = async (token: string) =>
  (await findPaymentFaults(app.pool, token)).filter((fault) => !fault.startsWith('told:'));
