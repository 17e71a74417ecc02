import { call } from '../../support/client';
import { subscribeInOwnShop } from '../../support/disputes';
import { cards, reaches, type Person } from '../../support/factories';
import { startAccountsApp, type AccountsApp, type StripeAccount } from '../../support/paymentAccounts';
import { failToRenew } from '../../support/testClock';

let app: AccountsApp;
let worker: Awaited<ReturnType<AccountsApp['startWorker']>>;

beforeAll(async () => {
  app = await startAccountsApp();
  worker = await app.startWorker();
});

afterAll(() => app.stop());

const updated = 'payment_method.automatically_updated';
const expired = '4000000000000069';

/** The card of the account's only customer. */
function methodOf({ methods }: StripeAccount) {
  const method = [...methods.values()].find(({ customer }) => customer !== null);
  if (!method) throw new Error('no card is stored');
  return method;
}

const replaced = { brand: 'visa', last4: '1881', exp_month: 3, exp_year: 2044, fingerprint: 'fp_new' };

const defaultCard = async (consumer: Person) =>
  (await call<{ cards: Record<string, object> }>(app, 'GET', '/v2/payments/cards/default', undefined, consumer)).body
    .cards['EUR'];

/** A subscription that is overdue because its card has expired. `tell`: the bank has replaced the card. */
async function overdueWithCard() {
  const { shop, account, id, tell } = await subscribeInOwnShop(app);
  const method = methodOf(account);
  method.number = expired;
  await failToRenew(app, shop, id);
  method.number = cards.success;
  const { id: methodId, customer } = method;
  const told = { id: methodId, object: 'payment_method', customer, card: replaced };
  return { shop, account, id, tell: () => tell(updated, told) };
}

test('200: a replaced card is shown, and a subscription that is overdue with it is charged again', async () => {
  const { shop, account, id, tell } = await overdueWithCard();
  expect((await tell()).status).toBe(200);
  await reaches(app, shop.consumer, id, 'active');
  const newest = [...account.intents.values()].at(-1);
  expect([newest?.status, newest?.off_session]).toEqual(['succeeded', true]);
  expect(await defaultCard(shop.consumer)).toMatchObject({ number: 1881, exp_month: '03', exp_year: '2044' });
});

test('200: the charge after an update is stored until the run has made it', async () => {
  const { shop, id, tell } = await overdueWithCard();
  await worker.stop();
  expect((await tell()).status).toBe(200);
  const text = `SELECT requests->0->>'kind' AS kind FROM subscriptions WHERE token = $1`;
  expect((await app.pool.query(text, [id])).rows).toEqual([{ kind: 'retry' }]);

  worker = await app.startWorker();
  await reaches(app, shop.consumer, id, 'active');
});

test('200: an active subscription is not charged, and another merchant cannot change the card', async () => {
  const { shop, account, id, tell } = await subscribeInOwnShop(app);
  const forger = await subscribeInOwnShop(app);
  const { id: methodId, customer } = methodOf(account);
  const told = { id: methodId, object: 'payment_method', customer, card: replaced };
  expect((await forger.tell(updated, told)).status).toBe(200);
  expect(await defaultCard(shop.consumer)).toMatchObject({ number: 4242 });
  expect((await tell(updated, told)).status).toBe(200);
  expect(await defaultCard(shop.consumer)).toMatchObject({ number: 1881 });
  await reaches(app, shop.consumer, id, 'active');
  expect(account.intents.size).toBe(1);
});
