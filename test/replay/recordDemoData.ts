import { askForDemoData, isFilled } from '../support/demoData';
import { createMerchant } from '../support/factories';
import { type Scenarios, startScenarios } from '../support/scenarios';
import { writeHistory } from './histories';

/** `npm run replay:record` writes the history of demo data anew; `replay.test.ts` replays it. */

let scenarios: Scenarios;

beforeAll(async () => void (scenarios = await (await startScenarios()).startWorker()));
afterAll(() => scenarios.stop());

test('demo data', async () => {
  const { app, temporal } = scenarios;
  const merchant = await createMerchant(app);
  await askForDemoData(app, merchant.email);
  await isFilled(app, merchant.id);
  const { rows } = await app.pool.query<{ token: string }>('SELECT token FROM demo_fills WHERE merchant_id = $1', [
    merchant.id,
  ]);
  const workflowId = `demo-data-${rows[0]?.token}`;
  await temporal.client.workflow.getHandle(workflowId).result();
  writeHistory('demo-data-filled', await temporal.historyOf(workflowId));
});
