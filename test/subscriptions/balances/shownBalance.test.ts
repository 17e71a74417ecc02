import pg from 'pg';
import { giveCredit } from '../../support/balances';
import { call } from '../../support/client';
import {
  cards,
  createConsumer,
  createFee,
  createItem,
  reaches,
  subscribe,
  type SubscriptionRow,
} from '../../support/factories';
import { startScenarios, type SubscriptionScenario, type Scenarios } from '../../support/scenarios';
import { refund, refunded } from '../../support/payments';

/** The balance in the answers about subscriptions and payments. */

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios()));

afterAll(() => scenarios.stop());

const list = async (person: { token: string }, query = '') =>
  (await call<{ collection: SubscriptionRow[] }>(scenarios.app, 'GET', `/subscriptions${query}`, undefined, person))
    .body.collection;

interface HistoryRow {
  action_type: string;
  charged_amount: number;
  balance: number;
}

const historyOf = async ({ shop }: SubscriptionScenario) => {
  const { body } = await call<{ collection: HistoryRow[] }>(
    scenarios.app,
    'GET',
    '/v2/accounting/payment-history',
    undefined,
    shop.consumer,
  );
  return body.collection.map(({ action_type, charged_amount, balance }) => [action_type, charged_amount, balance]);
};

/** Counts the statements that read balances during `work`. */
async function balanceReads(work: () => Promise<unknown>): Promise<number> {
  const texts: string[] = [];
  const prototype = pg.Client.prototype as unknown as { query: (...given: unknown[]) => unknown };
  const { query } = prototype;
  prototype.query = function (this: unknown, ...given: unknown[]) {
    const [what] = given;
    texts.push(typeof what === 'string' ? what : ((what as { text?: string }).text ?? ''));
    return query.apply(this, given);
  };
  try {
    await work();
  } finally {
    prototype.query = query;
  }
  return texts.filter((text) => /(FROM|JOIN) customer_balances/.test(text)).length;
}

test('200: a subscription and its list show the balance of the customer in its currency', async () => {
  const scenario = await scenarios.subscribe();
  expect(await scenario.row()).toMatchObject({ currency: 'EUR', balance: 0 });
  await giveCredit(scenarios.app, scenario.shop.consumer.id, 1_234);
  await giveCredit(scenarios.app, scenario.shop.consumer.id, 777, 'USD');
  expect(await scenario.row()).toMatchObject({ balance: 12.34 });
  await giveCredit(scenarios.app, scenario.shop.consumer.id, -2_000);
  expect(await scenario.row()).toMatchObject({ balance: -7.66 });
  expect(await list(scenario.shop.consumer)).toEqual([await scenario.row()]);
  expect(await list(scenario.shop.merchant)).toEqual([await scenario.row()]);
});

test('200: each row of a merchant’s list has the balance of its customer, read by one statement', async () => {
  const { shop } = await scenarios.subscribe();
  const yen = await createItem(scenarios.app, shop.merchant);
  const fee = await createFee(scenarios.app, shop.merchant, yen.id, { amount: '1000', currency: 'JPY' });
  const expected = new Map<number, number>([[shop.consumer.id, 0]]);
  for (const credit of [150, -40, 0]) {
    const consumer = await createConsumer(scenarios.app, shop.merchant);
    const { body } = await subscribe(scenarios.app, { ...shop, item: yen, fee, consumer });
    await reaches(scenarios.app, consumer, body.subscription_id, 'active');
    await giveCredit(scenarios.app, consumer.id, 999_999, 'EUR');
    if (credit !== 0) await giveCredit(scenarios.app, consumer.id, credit, 'JPY');
    expected.set(consumer.id, credit);
  }
  const rows = await list(shop.merchant);
  expect(new Map(rows.map((row) => [row.account_id, row.balance]))).toEqual(expected);
  expect(await balanceReads(() => list(shop.merchant))).toBe(1);
});

test('200: a charge shows the credit that it used and the debt that it collected; a refund shows 0', async () => {
  const scenario = await scenarios.subscribe(cards.success, { fee: { amount: '10' } });
  await giveCredit(scenarios.app, scenario.shop.consumer.id, 250);
  await scenario.advanceDays(32);
  await giveCredit(scenarios.app, scenario.shop.consumer.id, -300);
  await scenario.advanceDays(31);
  const trxToken = `${scenario.id}-1-1`;
  await refund(scenarios.app, scenario.shop.merchant, trxToken, { amount: 1 });
  await refunded(scenarios.app, trxToken);
  expect(await historyOf(scenario)).toEqual([
    ['refund', 1, 0],
    ['recurrent', 13, -3],
    ['recurrent', 7.5, 2.5],
    ['recurrent', 10, 0],
  ]);
});
