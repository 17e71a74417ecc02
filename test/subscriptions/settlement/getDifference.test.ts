import { call } from '../../support/client';
import { compare, listDifferences, subscribeLongAgo, type Difference } from '../../support/differences';
import { startAccountsApp, type AccountsApp } from '../../support/paymentAccounts';

let app: AccountsApp;

beforeAll(async () => {
  app = await startAccountsApp();
  await app.startWorker();
});

afterAll(() => app.stop());

test('200: a difference with its actions', async () => {
  const own = await subscribeLongAgo(app);
  own.intent.amount = 899;
  await compare(app);
  const [listed] = await listDifferences(app, own.shop.merchant);
  const path = `/payments/differences/${listed?.id}`;
  expect((await call<Difference>(app, 'GET', path, undefined, own.shop.merchant)).body).toEqual(listed);
});

test('404 difference_not_found: it belongs to another merchant, or to none', async () => {
  const [own, other] = [await subscribeLongAgo(app), await subscribeLongAgo(app)];
  own.intent.amount = 899;
  await compare(app);
  const [listed] = await listDifferences(app, own.shop.merchant);
  const path = `/payments/differences/${listed?.id}`;
  expect(await call(app, 'GET', path, undefined, other.shop.merchant)).toMatchObject({
    status: 404,
    body: { error: 'difference_not_found' },
  });
});
