import { charged } from '../support/debits';
import { cards, createShop, subscribe } from '../support/factories';
import { expectGrowth, readMetric, readMetrics } from '../support/metrics';
import { startScenarios, type Scenarios } from '../support/scenarios';

/** The metrics of charges after real charges. The worker is in this process. */

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios({ environment: { CARD_ATTEMPTS_MAX: '1' } })));

afterAll(() => scenarios.stop());

const charges = (kind: string, outcome: string) => `paywall_charges_total{kind="${kind}",outcome="${outcome}"}`;
const declines = (kind: string, decline: string, reason: string) =>
  `paywall_declines_total{kind="${kind}",class="${decline}",reason="${reason}"}`;

test('a purchase counts once, as paid', async () => {
  const expected = { [charges('purchase', 'paid')]: 1, [charges('purchase', 'declined')]: 0 };
  await expectGrowth({ ...expected, [charges('renewal', 'paid')]: 0 }, () => scenarios.subscribe());
});

test('a declined purchase counts with the reason and class of the bank', async () => {
  const { app } = scenarios;
  const shop = await createShop(app);
  const expected = {
    [charges('purchase', 'declined')]: 1,
    [charges('purchase', 'paid')]: 0,
    [declines('purchase', 'soft', 'insufficient_funds')]: 1,
  };
  await expectGrowth(expected, async () => {
    const { body } = await subscribe(app, shop, cards.insufficientFunds);
    await charged(app, body.subscription_id, 'declined');
  });
});

test('a charge that waits for its payer is not counted as paid or declined', async () => {
  const { app } = scenarios;
  const shop = await createShop(app);
  const expected = {
    [charges('purchase', 'requires_action')]: 1,
    [charges('purchase', 'paid')]: 0,
    [charges('purchase', 'declined')]: 0,
  };
  await expectGrowth(expected, async () => {
    const { body } = await subscribe(app, shop, cards.needsAuthentication);
    await charged(app, body.subscription_id, 'requires_action');
  });
});

test('look-ups of a charge that waits count nothing', async () => {
  const { app } = scenarios;
  const shop = await createShop(app);
  const { body } = await subscribe(app, shop, cards.needsAuthentication);
  await charged(app, body.subscription_id, 'requires_action');
  const { lookUpCharge } = await import('../../src/subscriptions/charges/charges.js');
  const text = 'SELECT id FROM subscriptions WHERE token = $1';
  const { rows } = await app.pool.query<{ id: number }>(text, [body.subscription_id]);
  const input = { subscriptionId: rows[0]?.id ?? 0, cycle: 1, attempt: 1 };
  // The run looks the charge up once by itself.
  await lookUpCharge(input);
  const expected = { [charges('purchase', 'requires_action')]: 0, [charges('purchase', 'paid')]: 1 };
  await expectGrowth(expected, async () => {
    for (let time = 0; time < 3; time += 1) await lookUpCharge(input);
    // The last count.
    await scenarios.subscribe();
  });
});

test('nothing is counted for an amount of 0', async () => {
  const expected = { [charges('purchase', 'paid')]: 1, [charges('renewal', 'paid')]: 0 };
  await expectGrowth(expected, async () => {
    await scenarios.subscribe(cards.success, { trial: [3, 'day'] });
    // The last count.
    await scenarios.subscribe();
  });
});

test('a renewal counts as declined, and its retry counts as refused if the service does not send it', async () => {
  const scenario = await scenarios.subscribe(cards.declinedAtRenewal);
  const expected = {
    [charges('renewal', 'declined')]: 1,
    [charges('renewal', 'refused')]: 1,
    [charges('renewal', 'paid')]: 0,
    [declines('renewal', 'soft', 'declined')]: 1,
    [declines('renewal', 'hard', 'card_tried_too_often')]: 1,
  };
  await expectGrowth(expected, async () => {
    expect(await scenario.advanceDays(32.5)).toMatchObject({ status: 'past_due' });
  });
});

test('a declined renewal is in dunning, until it is paid', async () => {
  const scenario = await scenarios.subscribe(cards.declinedAtRenewal);
  const dunned = (state: string, retry: string) => `paywall_dunning_subscriptions{state="${state}",retry="${retry}"}`;
  const [planned, none, held] = [dunned('past_due', 'planned'), dunned('past_due', 'none'), dunned('on_hold', 'none')];
  await expectGrowth({ [planned]: 1, [none]: 0, [held]: 0 }, () => scenario.advancePastEnd(0.1));
  // The service does not send the retry, because the card was tried too often: only a new card can pay.
  await expectGrowth({ [none]: 1, [held]: 0 }, () => scenario.advanceDays(1.1));
  await expectGrowth({ [none]: -1, [held]: 1 }, () => scenario.advanceDays(6.5));
});

test('each decline begins at 0, so that the first one is an increase', async () => {
  for (const decline of ['soft', 'hard', 'later'])
    for (const reason of ['lost_card', 'card_final', 'other'])
      expect(await readMetric(declines('purchase', decline, reason))).toBe(0);
});

test('labels have few values: no id and no text of a customer', async () => {
  const labels = [...(await readMetrics()).matchAll(/^paywall_(?:charges|declines)_total\{(.*)\} /gm)];
  expect(labels.length).toBeGreaterThan(10);
  for (const [, label = ''] of labels) expect(label).toMatch(/^(?:[a-z]+="[a-z_]+",?)+$/);
});

test('nothing waits for a connection while the database is idle', async () => {
  for (let scrape = 0; scrape < 2; scrape += 1)
    expect(await readMetric('paywall_database_connections{pool="statements",state="waiting"}')).toBe(0);
});
