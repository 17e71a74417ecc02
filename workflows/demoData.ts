import { proxyActivities } from '@temporalio/workflow';
import { type Activities } from '../activities';
import { inBackground } from './background';
import { demoSteps, type DemoDataInput } from './messages';
import { show } from './operator';
import { demo, demoPollsMax } from './policies';

const { passDemoTime, takeDemoStep, awaitDemoRuns } = proxyActivities<Activities>(demo);

/**
 * Fills the account of a merchant of a test environment, day by day of a year. The merchant's test clock moves on, and the
 * runs of its subscriptions bill in between. Each step can be repeated.
 */
export async function demoData({ fillId }: DemoDataInput): Promise<void> {
  for (let step = 0; step < demoSteps; step += 1) {
    show('running', `### Step ${step + 1} of ${demoSteps}`);
    const input = { fillId, step };
    await passDemoTime.executeWithOptions(inBackground(), [input]);
    await untilRunsRest(fillId);
    await takeDemoStep.executeWithOptions(inBackground(), [input]);
    await untilRunsRest(fillId);
  }
  show('done', `### Filled\nThe merchant’s test clock is a year ahead.`);
}

/** Stops waiting after five minutes, because one run may wait for its provider. */
async function untilRunsRest(fillId: number): Promise<void> {
  for (let poll = 0; poll < demoPollsMax; poll += 1)
    if (await awaitDemoRuns.executeWithOptions(inBackground(), [fillId])) return;
}
