import { proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import { type Activities } from '../activities';
import { inBackground } from './background';
import { type StoreHistoriesRead } from './messages';
import { sweep } from './policies';

const { readStoreHistories } = proxyActivities<Activities>(sweep);

/** Reads the stores' histories for events whose notifications were missed. A schedule starts this workflow. */
export async function storeHistories(): Promise<StoreHistoriesRead> {
  const read = await readStoreHistories.executeWithOptions(inBackground(), []);
  const lines = [`### Read ${read.apps}`, ...read.failed.map((app) => `No answer: ${app}`)];
  setCurrentDetails(lines.join('\n'));
  return read;
}
