import { reaches } from '../support/factories';
import { submitLapsedTrial } from '../support/lapsedTrials';
import { startScenarios, type Scenarios } from '../support/scenarios';

/** A trial that begins long after its submission. Its voucher may belong to another customer by then. */

let scenarios: Scenarios;

beforeAll(async () => (scenarios = await startScenarios({ isIdle: true })));

afterAll(() => scenarios.stop());

test('subscribe.failed: not with a voucher that others have used meanwhile; with one that is left it begins', async () => {
  const [taken, left] = [await submitLapsedTrial(scenarios.app, true), await submitLapsedTrial(scenarios.app, false)];
  await scenarios.startWorker();
  expect(await reaches(scenarios.app, taken.shop.consumer, taken.id, 'incomplete_expired')).toMatchObject({
    failure_reason: 'voucher_expired',
  });
  await reaches(scenarios.app, left.shop.consumer, left.id, 'trialing');
});
