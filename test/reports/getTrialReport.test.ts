import { call } from '../support/client';
import { cards, createConsumer, createShop } from '../support/factories';
import { giveTrial } from '../support/scenarios';
import { beginTrial, dayAhead, live, startStory, type Story } from '../support/reporting';
import { startApp, type TestApp } from '../support/startApp';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.stop());

test('200: trials that began, and what became of them', async () => {
  const shop = await createShop(app);
  await giveTrial(app, shop.fee.id, [7, 'day']);
  // One trial a card: each has its own.
  const numbers = [cards.success, cards.declinedAtRenewal, cards.lostAtRenewal];
  const stories: Story[] = [];
  for (const number of numbers) {
    const consumer = await createConsumer(app, shop.merchant);
    stories.push(await startStory(app, { ...shop, consumer }, { number }));
  }
  for (const story of stories) await beginTrial(story);
  const [stays, leaves] = stories;
  if (stays)
    await live(stays, [
      ['nextPeriod', 7],
      ['renew', 7],
    ]);
  if (leaves) await live(leaves, [['cancel', 7]]);
  const path = `/reporting/trials?from=${dayAhead(0)}&to=${dayAhead(7)}`;
  const { status, body } = await call<{ collection: object[] }>(app, 'GET', path, undefined, shop.merchant);
  expect(status).toBe(200);
  expect([body.collection[0], body.collection[7]]).toMatchObject([
    { started: 3, converted: 0, lost: 0, trial_conversion_rate: null },
    { started: 0, converted: 1, lost: 1, trial_conversion_rate: 0.5 },
  ]);
  for (const [what, total] of [
    ['trial_started', 3],
    ['trial_converted', 1],
    ['trial_lost', 1],
  ] as const) {
    const rows = await call(app, 'GET', `/reporting/transitions?what=${what}`, undefined, shop.merchant);
    expect(rows.body).toMatchObject({ total });
  }
});

test('422 invalid_input: a range without days', async () => {
  const { merchant } = await createShop(app);
  expect((await call(app, 'GET', '/reporting/trials?to=soon', undefined, merchant)).status).toBe(422);
});
