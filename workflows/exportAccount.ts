import { proxyActivities } from '@temporalio/workflow';
import { type Activities } from '../activities';
import { inBackground } from './background';
import { type AccountOperationInput } from './messages';
import { accountData } from './policies';
import { show } from './operator';

const { mailExport } = proxyActivities<Activities>(accountData);

/**
 * Exports an account's data. The activity collects the data and queues the mail, so that no personal data reaches the
 * workflow. An erasure that was requested in the meantime cancels the export.
 */
export async function exportAccount({ operationId }: AccountOperationInput): Promise<void> {
  show('running', '### Gathering\nThe data goes from the database into a mail, and nowhere else.');
  const { isMailed } = await mailExport.executeWithOptions(inBackground(), [operationId]);
  if (isMailed) show('done', '### Mailed\nThe mail waits for its delivery; no other copy is kept.');
  else show('cancelled', '### Cancelled\nThe account is being erased.');
}
