import { randomInt } from 'node:crypto';
import { startProgram } from '../support/childProcess';
import { cards, createConsumer, createShop, subscribe, type Shop } from '../support/factories';
import { chargesOf, readLedgers } from '../support/ledger';
import { size } from '../support/size';
import { startApp, type TestApp } from '../support/startApp';
import { passDays } from '../support/testClock';
import { until } from '../support/until';
import { queryBooks } from '../support/providerBooks';

/**
 * Many subscriptions have a first payment, renewals and dunning, while their worker is killed at random
 * moments. The provider's ledger equals our books, and each cycle is paid once.
 */
const purchases = size({ usual: 20, full: 100 });
const months = 2;
/** More sign-ups at the same time are refused, because passwords are hashed. */
const atOnce = 5;

/** The worker is killed after this many more steps. The number differs in each run, and the title contains it. */
const someOf = (least: number, most: number) => randomInt(Math.round(least * purchases), Math.round(most * purchases));
const killedAfter = Array.from({ length: months + 1 }, () => [someOf(0.1, 0.5), someOf(0.6, 1.1)]);
const kills = killedAfter.flat().length;

/** The expected result of each card's subscription: the number of payments, and its state. */
const ways: Record<string, { number: string; paid: number; state: string }> = {
  success: { number: cards.success, paid: months + 1, state: 'active' },
  timeout_after_charging: { number: cards.timeoutAfterCharging, paid: months + 1, state: 'active' },
  timeout_before_charging: { number: cards.timeoutBeforeCharging, paid: months + 1, state: 'active' },
  declined_once_at_renewal: { number: cards.declinedOnceAtRenewal, paid: months + 1, state: 'active' },
  declined_at_renewal: { number: cards.declinedAtRenewal, paid: 1, state: 'expired' },
};

let app: TestApp;

beforeAll(async () => (app = await startApp()));

afterAll(() => app.stop());

const startChild = (bug: Record<string, string> = {}) => startProgram('crashingWorker', { DATABASE_POOL: '4', ...bug });

async function countOf(text: string): Promise<number> {
  const query = `SELECT count(*)::int AS count FROM ${text}`;
  const counted = text.includes('sandbox_')
    ? queryBooks<{ count: number }>(app.pool, query)
    : app.pool.query<{ count: number }>(query);
  return (await counted).rows[0]?.count ?? 0;
}

const countSteps = () => countOf('subscription_events WHERE workflow_run_id IS NOT NULL');

/** The subscriptions that have not taken their due steps yet. */
const due = `subscriptions WHERE state = 'incomplete'
  OR (state = 'active' AND current_period_end <= merchant_now(merchant_id))
  OR (state IN ('active', 'past_due', 'on_hold') AND (due_minor > 0 OR past_due_at IS NOT NULL)
    AND coalesce(next_retry_at, past_due_at + interval '21 days', current_period_start) <= merchant_now(merchant_id))`;

const nothingIsDue = () => until(async () => (await countOf(due)) === 0);

/** All are customers of one shop, with the cards in turn. */
async function submit(shop: Shop, count: number, numbers: readonly string[]): Promise<void> {
  const one = async (index: number) => {
    const consumer = await createConsumer(app, shop.merchant);
    await subscribe(app, { ...shop, consumer }, numbers[index % numbers.length]);
  };
  for (let from = 0; from < count; from += atOnce)
    await Promise.all(Array.from({ length: Math.min(atOnce, count - from) }, (_, index) => one(from + index)));
}

test(`kill -9, ${kills} times, after ${killedAfter.join(' | ')} steps: no charge of ${purchases} subscriptions is missing, and none is there twice`, async () => {
  const shop = await createShop(app);
  await submit(
    shop,
    purchases,
    Object.values(ways).map(({ number }) => number),
  );
  let child = await startChild();
  for (const [month, steps] of killedAfter.entries()) {
    const before = await countSteps();
    if (month > 0) await passDays(app, shop.merchant, 32);
    for (const after of steps) {
      await until(async () => (await countSteps()) >= before + after || (await countOf(due)) === 0);
      await child.kill();
      child = await startChild();
    }
    await nothingIsDue();
  }
  await child.kill();

  const books = await readLedgers(app, shop.merchant.id);
  expect(books).toHaveLength(purchases);
  for (const { token, state, card, ours, theirs } of books) {
    expect(theirs).toEqual(ours);
    const charges = await chargesOf(app, token);
    const cycles = charges.filter(({ status }) => status === 'paid').map(({ cycle }) => cycle);
    expect({ state, paid: new Set(cycles).size }).toEqual({ state: ways[card]?.state, paid: ways[card]?.paid });
    expect(ours).toHaveLength(cycles.length);
    expect(new Set(cycles).size).toBe(cycles.length);
  }
});

test('kill -9 of a worker with a wrong idempotency key: the comparison finds each card that was charged twice', async () => {
  const bug = { RANDOM_KEYS: '1' };
  const shop = await createShop(app);
  const ofShop = `sandbox_charges JOIN cards USING (token) WHERE merchant_id = ${shop.merchant.id}`;
  const twice = () => countOf(`(SELECT token FROM ${ofShop} GROUP BY token HAVING count(*) > 1) charged_twice`);
  while ((await twice()) === 0) {
    await submit(shop, 4 * atOnce, [cards.success]);
    const before = await countOf(ofShop);
    const mortal = await startChild(bug);
    await until(async () => (await countOf(ofShop)) > before);
    await mortal.kill();
    const other = await startChild(bug);
    await nothingIsDue();
    await other.kill();
  }
  const different = (await readLedgers(app, shop.merchant.id)).filter(
    ({ ours, theirs }) => theirs.join() !== ours.join(),
  );
  expect(different).toHaveLength(await twice());
});
