import { randomUUID } from 'node:crypto';
import { type Transaction, type transaction as transactionType } from '../../../src/adapters/postgres/connection';
import type * as Statements from '../../../src/adapters/postgres/statement';
import type * as Model from '../../../src/subscriptions/provider/providerNotifications.model';
import { startScenarios, type Scenarios } from '../../support/scenarios';
import { permutations } from '../../support/orders';
import { until } from '../../support/until';

/** The rule that orders notifications about a dispute, with every order in which six of them can arrive. */

const told = 1_900_000_000_000;

type Status = Model.DisputeNotice['status'];

interface Word {
  dispute: string;
  status: Status;
  second: number;
}

const word = (dispute: string, what: Status | 'disputed', second: number): Word => ({
  dispute,
  status: what === 'disputed' ? 'needs_response' : what,
  second,
});

const stories: { ends: string; isDisputed: boolean; last: Record<string, Status>; words: Word[] }[] = [
  {
    ends: 'two disputes, both won',
    isDisputed: false,
    last: { first: 'won', second: 'won' },
    words: [
      word('first', 'disputed', 0),
      word('first', 'disputed', 1),
      word('first', 'won', 2),
      word('second', 'disputed', 1),
      // The decision and the notification before it have the same second.
      word('second', 'disputed', 3),
      word('second', 'won', 3),
    ],
  },
  {
    ends: 'two disputes, one won',
    isDisputed: true,
    last: { first: 'won', second: 'needs_response' },
    words: [
      word('first', 'disputed', 0),
      word('first', 'won', 1),
      word('first', 'won', 2),
      word('second', 'disputed', 0),
      word('second', 'won', 1),
      // The dispute is opened again.
      word('second', 'disputed', 2),
    ],
  },
  {
    ends: 'two disputes, both lost, with every state in the second of the decision',
    isDisputed: true,
    last: { first: 'lost', second: 'lost' },
    words: [
      word('first', 'needs_response', 1),
      word('first', 'under_review', 1),
      word('first', 'lost', 1),
      word('second', 'under_review', 0),
      word('second', 'needs_response', 1),
      word('second', 'lost', 1),
    ],
  },
  {
    ends: 'a dispute that was lost and then won in one second, and one that was won before it was lost',
    isDisputed: true,
    last: { first: 'won', second: 'lost' },
    words: [
      word('first', 'under_review', 1),
      word('first', 'lost', 1),
      word('first', 'won', 1),
      word('second', 'needs_response', 0),
      word('second', 'won', 1),
      word('second', 'lost', 2),
    ],
  },
];

let scenarios: Scenarios;
let transaction: typeof transactionType;
let model: typeof Model;
let statements: typeof Statements;

beforeAll(async () => {
  scenarios = await startScenarios();
  ({ transaction } = await import('../../../src/adapters/postgres/connection.js'));
  statements = await import('../../../src/adapters/postgres/statement.js');
  model = await import('../../../src/subscriptions/provider/providerNotifications.model.js');
});

afterAll(() => scenarios.stop());

test.each(stories)(
  '200: $ends, told in each of 720 orders: the last state is the same',
  async ({ words, isDisputed, last }) => {
    const { id: token } = await scenarios.subscribe();
    const { rows } = await scenarios.app.pool.query<{ id: number; subscription_id: number }>(
      'SELECT c.id, c.subscription_id FROM charges c JOIN subscriptions s ON s.id = c.subscription_id WHERE s.token = $1',
      [token],
    );
    const [charge] = rows;
    if (!charge) throw new Error('nothing was charged');
    const orders = permutations(words);
    expect(orders).toHaveLength(720);
    const different = await transaction(async (inTransaction) => {
      const wrong: Word[][] = [];
      for (const order of orders) {
        const provider = randomUUID();
        for (const { dispute, status, second } of order)
          await model.recordDispute(inTransaction, {
            provider,
            reference: dispute,
            chargeId: charge.id,
            status,
            at: new Date(told + second * 1000),
          });
        const ended = await model.isDisputed(inTransaction, { kind: 'subscription', id: charge.subscription_id });
        const rows = await statements.execute<{ reference: string; status: Status }>(
          inTransaction,
          'DELETE FROM disputes RETURNING reference, status',
        );
        const isSame = rows.every(({ reference, status }) => last[reference] === status);
        if (ended !== isDisputed || !isSame) wrong.push(order);
      }
      return wrong;
    });
    expect(different).toEqual([]);
  },
);

test('200: two disputes that are won at the same moment: one of the two words sees that both are', async () => {
  const { id: token } = await scenarios.subscribe();
  const { rows } = await scenarios.app.pool.query<{ id: number; subscription_id: number }>(
    'SELECT c.id, c.subscription_id FROM charges c JOIN subscriptions s ON s.id = c.subscription_id WHERE s.token = $1',
    [token],
  );
  const [charge] = rows;
  if (!charge) throw new Error('nothing was charged');
  const provider = randomUUID();
  const say = (inTransaction: Transaction, reference: string, isWon: boolean) =>
    model.recordDispute(inTransaction, {
      provider,
      reference,
      chargeId: charge.id,
      status: isWon ? 'won' : 'needs_response',
      at: new Date(told + Number(isWon)),
    });
  const ask = (inTransaction: Transaction) =>
    model.isDisputed(inTransaction, { kind: 'subscription', id: charge.subscription_id });
  await transaction((inTransaction) => say(inTransaction, 'first', false));
  await transaction((inTransaction) => say(inTransaction, 'second', false));
  const both = { isSecondSaid: false, isFirstDone: false };
  let second = Promise.resolve(true);
  const first = await transaction(async (inTransaction) => {
    await say(inTransaction, 'first', true);
    second = transaction(async (inSecond) => {
      await say(inSecond, 'second', true);
      const isDisputed = await ask(inSecond);
      both.isSecondSaid = true;
      await until(() => both.isFirstDone);
      return isDisputed;
    });
    const waiting = `SELECT FROM pg_stat_activity WHERE wait_event = 'advisory' AND datname = current_database()`;
    await until(async () => both.isSecondSaid || (await scenarios.app.pool.query(waiting)).rows.length > 0);
    return ask(inTransaction).finally(() => (both.isFirstDone = true));
  });
  expect([first, await second]).toEqual([true, false]);
});
