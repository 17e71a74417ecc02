import { proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import { type Activities } from '../activities';
import { type Reconciled } from './messages';
import { sweep } from './policies';

const { reconcileCharges } = proxyActivities<Activities>(sweep);

/** Holds what we know of charges and refunds against what the provider knows; started by a schedule. */
export async function reconcile(): Promise<Reconciled> {
  const found = await reconcileCharges();
  const lines = [
    `### Looked up ${found.lookedUp}`,
    ...found.different,
    ...(found.different.length === 0 ? ['Nothing differs.'] : []),
    ...(found.returned ?? []).map((token) => `Given back: ${token}`),
  ];
  setCurrentDetails(lines.join('\n'));
  return found;
}
