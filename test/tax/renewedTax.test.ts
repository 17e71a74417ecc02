import type * as Model from '../../src/tax/chargeTaxes.model';
import type * as Periods from '../../src/subscriptions/lifecycle/periods';
import type * as Switches from '../../src/subscriptions/lifecycle/switches';
import { createFee } from '../support/factories';
import { createPayShop } from '../support/payments';
import { startStory } from '../support/reporting';
import { readSnapshot } from '../support/snapshot';
import { startApp, type TestApp } from '../support/startApp';
import { nameSeller } from '../support/tax';

/** What the steps of a subscription read to know the tax of its next price. No worker runs: the steps are called by hand. */

let mockReads = 0;

jest.mock('../../src/tax/chargeTaxes.model', () => {
  const actual = jest.requireActual<typeof Model>('../../src/tax/chargeTaxes.model');
  const findRenewedCase: typeof actual.findRenewedCase = (...of) => {
    mockReads += 1;
    return actual.findRenewedCase(...of);
  };
  return { ...actual, findRenewedCase };
});

let app: TestApp;
let periods: typeof Periods;
let switches: typeof Switches;

beforeAll(async () => {
  app = await startApp();
  periods = await import('../../src/subscriptions/lifecycle/periods.js');
  switches = await import('../../src/subscriptions/lifecycle/switches.js');
});

afterAll(() => app.stop());

const monthly = { access_type: 'subscription', quantity: 1, period: 'month', amount: '10.00' };

async function reading<Result>(work: () => Promise<Result>): Promise<{ reads: number; result: Result }> {
  mockReads = 0;
  const result = await work();
  return { reads: mockReads, result };
}

test.each([
  ['include tax', true, { period: 0, change: 0, dueMinor: 1000 }],
  ['are without tax', false, { period: 1, change: 1, dueMinor: 1190 }],
])('a merchant with the table of rates, whose prices %s', async (_, includes, expected) => {
  const shop = await createPayShop(app, monthly);
  await nameSeller(app, shop, undefined, { prices_include_tax: includes });
  const story = await startStory(app, shop);
  await story.take('begin', Date.now(), 0);
  const stepAt = async (atMs: number) => {
    const { version } = await readSnapshot(story.id);
    return { subscriptionId: story.id, version, atMs };
  };
  const renewedMs = Date.now() + 31 * 86_400_000;
  const step = await stepAt(renewedMs);
  const begun = await reading(() => periods.beginPeriod(step, { runId: 'a-run' }));
  expect([begun.reads, begun.result.dueMinor]).toEqual([expected.period, expected.dueMinor]);
  const again = await reading(() => periods.beginPeriod(step, { runId: 'a-run' }));
  expect([again.reads, again.result.dueMinor]).toEqual([0, expected.dueMinor]);
  const { id: accessFeeId } = await createFee(app, shop.merchant, shop.item.id, { ...monthly, amount: '20.00' });
  const asked = await stepAt(renewedMs);
  const change = await reading(() => switches.priceSwitch({ ...asked, accessFeeId, mode: 'next_period' }));
  expect(change.reads).toBe(expected.change);
});
