import { proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import { type Activities } from '../activities';
import { type Reconciled } from './messages';
import { sweep } from './policies';

const { reconcileCharges } = proxyActivities<Activities>(sweep);

/** Holds what we know of charges and refunds against what the provider knows; started by a schedule. */
export async function reconcile(): Promise<Reconciled> {
  const found = await reconcileCharges();
  setCurrentDetails(`### Looked up ${found.lookedUp}\n${found.different.join('\n') || 'Nothing differs.'}`);
  return found;
}
