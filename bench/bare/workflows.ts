import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import { payment, quick } from '../../workflows/policies';
import { type BareActivities } from './activities';

const { remote } = proxyActivities<BareActivities>(payment);
const { local } = proxyLocalActivities<BareActivities>(quick);

/** The minimum of a purchase: one call to a provider and one transaction, both empty. */
export async function bare(): Promise<void> {
  await remote();
  await local();
}
