import fc from 'fast-check';
import { call } from '../support/client';
import { cards, createFee } from '../support/factories';
import { startScenarios, type Scenarios } from '../support/scenarios';
import { refund, refunded } from '../support/payments';

/** Random sequences of requests. After each step the books of every customer agree. */

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios()));

afterAll(() => scenarios.stop());

type Step = { do: 'switch'; to: number } | { do: 'adjust'; amount: number } | { do: 'refund' | 'renew' };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('switch' as const), to: fc.nat({ max: 2 }) }),
  fc.record({ do: fc.constant('adjust' as const), amount: fc.integer({ min: -50, max: 50 }).filter((n) => n !== 0) }),
  fc.record({ do: fc.constantFrom('refund' as const, 'renew' as const) }),
);

const balanceFaults = `
  SELECT coalesce(m.account_id, b.account_id) AS account, m.sum, b.balance_minor FROM
    (SELECT account_id, currency, sum(amount_minor) AS sum FROM balance_movements GROUP BY 1, 2) m
    FULL JOIN customer_balances b USING (account_id, currency)
  WHERE m.sum IS DISTINCT FROM b.balance_minor`;

/** The movements of a charge equal what it took from the balance. It returns no more than it took. */
const chargeFaults = `
  SELECT c.trx_token FROM charges c LEFT JOIN balance_movements m
    ON m.charge_id = c.id AND m.reason IN ('charge', 'charge_declined')
  GROUP BY c.id HAVING coalesce(sum(m.amount_minor), 0) <> CASE WHEN c.status = 'declined' THEN 0 ELSE -c.balance_minor END
    OR c.refunded_minor + c.credited_minor > c.amount_minor`;

const faults = async () =>
  (await Promise.all([balanceFaults, chargeFaults].map((text) => scenarios.app.pool.query(text)))).flatMap(
    ({ rows }) => rows as object[],
  );

/** Set the variable for more runs. */
const sequences = Number(process.env['BALANCE_SEQUENCES'] ?? 3);

test.each(fc.sample(fc.array(step, { minLength: 4, maxLength: 6 }), { numRuns: sequences, seed: 7 }))(
  'the balance is the sum of its movements after %j, %j, %j…',
  async (...steps: Step[]) => {
    const scenario = await scenarios.subscribe(cards.success, { fee: { amount: '100', period: 'year' } });
    const { merchant, consumer, item, fee } = scenario.shop;
    const other = { amount: '10', period: 'month' };
    const fees = [fee.id];
    for (const amount of ['1', other.amount])
      fees.push((await createFee(scenarios.app, merchant, item.id, { ...other, amount })).id);
    for (const each of steps) {
      if (each.do === 'switch') await scenario.request('switch', { access_fee_id: fees[each.to], mode: 'now' });
      if (each.do === 'adjust') {
        const body = { amount: each.amount, currency: 'EUR', note: 'Goodwill' };
        const path = `/v2/accounts/customers/${consumer.id}/balances/movements`;
        expect((await call(scenarios.app, 'POST', path, body, merchant)).status).toBe(201);
      }
      const token = `${scenario.id}-1-1`;
      if (each.do === 'refund' && (await refund(scenarios.app, merchant, token, { amount: '1' })).status === 200)
        await refunded(scenarios.app, token);
      if (each.do === 'renew') await scenario.advanceDays(32);
      expect(await faults()).toEqual([]);
    }
  },
);
