import { call } from '../../support/client';
import { cards, createShop, type Shop } from '../../support/factories';
import { dayAhead, live, startStory } from '../../support/reporting';
import { startApp, type TestApp } from '../../support/startApp';

let app: TestApp;
let shop: Shop;

beforeAll(async () => {
  app = await startApp();
  shop = await createShop(app);
  await live(await startStory(app, shop), [
    ['begin', 0],
    ['nextPeriod', 31],
    ['renew', 31],
    ['nextPeriod', 62],
    ['fail', 62],
    ['hold', 69],
    ['expire', 83],
  ]);
});

afterAll(() => app.stop());

const transitions = (query: string) =>
  call<{ total: number; collection: object[] }>(
    app,
    'GET',
    `/reporting/transitions?${query}`,
    undefined,
    shop.merchant,
  );

test('200: what happened, newest first, with the run that did it', async () => {
  const { status, body } = await transitions('size=2');
  expect([status, body]).toMatchObject([
    200,
    {
      total: 8,
      limit: 2,
      collection: [
        { from: 'on_hold', to: 'expired', reason: 'not paid', workflow_run_id: 'by-hand', email: shop.consumer.email },
        { from: 'past_due', to: 'on_hold', reason: 'grace is over', item_title: 'Cup final' },
      ],
    },
  ]);
});

test.each([
  ['what=renewed', 1],
  ['what=dunning_failed', 1],
  ['what=dunning_recovered', 0],
  ['what=dunning_lost', 1],
  ['what=renewed,dunning_lost', 2],
  ['state=past_due', 2],
  [`state=active&to=${dayAhead(31)}`, 1],
  ['currency=USD', 0],
])('200: those that %s asks for', async (query, total) => {
  expect((await transitions(query)).body).toMatchObject({ total });
});

test('200: what was to be paid by each, its sum, and by how many more are in a state', async () => {
  const { chargeCycle } = await import('../../../src/subscriptions/charges/charges.js');
  const other = await createShop(app, { amount: '10.00' });
  const story = await startStory(app, other, { number: cards.declinedOnceAtRenewal });
  const atMs = Date.now();
  const charge = (attempt: number) => chargeCycle({ subscriptionId: story.id, cycle: 2, attempt, atMs });
  await live(story, [
    ['begin', 0],
    ['nextPeriod', 31],
  ]);
  await charge(1);
  await live(story, [['fail', 31]]);
  const asked = (query: string) => call(app, 'GET', `/reporting/transitions?${query}`, undefined, other.merchant);
  expect((await asked('what=dunning_failed')).body).toMatchObject({
    sums: { EUR: 10 },
    state_change: null,
    collection: [{ amount: 10 }],
  });
  expect((await asked('state=past_due')).body).toMatchObject({ total: 1, state_change: 1 });
  await charge(2);
  await live(story, [['renew', 33]]);
  expect((await asked('what=dunning_recovered,dunning_lost')).body).toMatchObject({ total: 1, sums: { EUR: 10 } });
  expect((await asked('state=past_due')).body).toMatchObject({ total: 2, state_change: 0 });
});

test('422 invalid_input: an occasion that is none', async () => {
  expect((await transitions('what=luck')).status).toBe(422);
  expect((await transitions('what=renewed,luck')).status).toBe(422);
});
