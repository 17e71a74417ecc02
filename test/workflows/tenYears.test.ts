import { cards, createConsumer, createShop, reaches, subscribe } from '../support/factories';
import { chargesOf, takenFor } from '../support/ledger';
import { startScenarios, type Scenarios } from '../support/scenarios';
import { size } from '../support/size';
import { catchesUp, passDays } from '../support/testClock';
import { until } from '../support/until';

/**
 * Ten years of billing on the test clock: the provider's ledger and ours agree on every cent. `TEN_YEARS_OF` says how many
 * subscriptions, half of them by the month and half by the year.
 */
const count = Number(process.env['TEN_YEARS_OF'] ?? size({ usual: 4, full: 12 }));
/** More sign-ups at the same time are refused, because passwords are hashed. */
const atOnce = 5;
/** The time limit against a hanging test grows with the work. */
const netMs = 300_000 + count * 20_000;

const plans = [
  { period: 'month', charges: 121 },
  { period: 'year', charges: 11 },
] as const;

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios()));

afterAll(() => scenarios.stop());

/** The subscriptions that are not charged yet, read from the table, because each query of a run costs a task. */
async function areAllRenewed(merchantId: number): Promise<boolean> {
  const { rows } = await scenarios.app.pool.query(
    `SELECT FROM subscriptions WHERE merchant_id = $1
       AND (state <> 'active' OR current_period_end <= merchant_now(merchant_id) OR due_minor > 0) LIMIT 1`,
    [merchantId],
  );
  return rows.length === 0;
}

test.each(plans)(
  'subscribe.renewed: ten years by the $period, each charge on its day and once',
  async (plan) => {
    const { app, temporal } = scenarios;
    const shop = await createShop(app, { amount: '3.33', period: plan.period });
    const begin = async (): Promise<string> => {
      const consumer = await createConsumer(app, shop.merchant);
      const { body } = await subscribe(app, { ...shop, consumer }, cards.timeoutAfterCharging);
      await reaches(app, consumer, body.subscription_id, 'active');
      return body.subscription_id;
    };
    const begun: string[] = [];
    const each = Math.ceil(count / plans.length);
    while (begun.length < each)
      begun.push(...(await Promise.all(Array.from({ length: Math.min(atOnce, each - begun.length) }, begin))));

    const clock = await passDays(app, shop.merchant, 3653);
    await until(() => areAllRenewed(shop.merchant.id));
    for (const id of begun) {
      expect(await catchesUp(temporal.client, id, clock)).toMatchObject({ state: 'active' });
      const charges = await chargesOf(app, id);
      expect(charges).toHaveLength(plan.charges);
      expect(charges.every(({ amount, status }) => amount === 333 && status === 'paid')).toBe(true);
      const days = charges.map(({ settled }) => settled?.toISOString().slice(8, 19));
      // If every month has the day of the anchor, all periods begin on it.
      expect(new Set(days).size).toBeLessThanOrEqual(4);
      const taken = await takenFor(app, id);
      expect(taken.reduce((sum, { amount }) => sum + amount, 0)).toBe(plan.charges * 333);
      expect(new Set(taken.map(({ key }) => key)).size).toBe(plan.charges);
    }
  },
  netMs,
);
