import { proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import { type Activities } from '../activities';
import { inBackground } from './background';
import { type ReconciliationResult } from './messages';
import { sweep } from './policies';

const { reconcileCharges } = proxyActivities<Activities>(sweep);

/** Compares charges and refunds with what the provider has recorded. A schedule starts this workflow. */
export async function reconcile(): Promise<ReconciliationResult> {
  const found = await reconcileCharges.executeWithOptions(inBackground(), []);
  const lines = [
    `### Looked up ${found.lookedUp}`,
    ...found.different,
    ...(found.different.length === 0 ? ['Nothing differs.'] : []),
    ...found.returned.map((token) => `Refunded: ${token}`),
  ];
  setCurrentDetails(lines.join('\n'));
  return found;
}
