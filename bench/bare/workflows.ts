import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import { payment, quick } from '../../workflows/policies';
import { type BareActivities } from './activities';

const { remote } = proxyActivities<BareActivities>(payment);
const { local } = proxyLocalActivities<BareActivities>(quick);

/** The least that a purchase can be: one call to a provider, one transaction, and nothing inside them. */
export async function bare(): Promise<void> {
  await remote();
  await local();
}
