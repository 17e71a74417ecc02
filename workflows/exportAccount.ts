import { proxyActivities } from '@temporalio/workflow';
import { type Activities } from '../activities';
import { type AccountOperationInput } from './messages';
import { accountData } from './policies';
import { show } from './operator';

const { mailExport } = proxyActivities<Activities>(accountData);

/** One export of an account's data: gathered beside its mail, never here. An erasure that came meanwhile has cancelled it. */
export async function exportAccount({ operationId }: AccountOperationInput): Promise<void> {
  show('running', '### Gathering\nThe data goes from the database into a mail, and nowhere else.');
  const { isMailed } = await mailExport(operationId);
  if (isMailed) show('done', '### Mailed\nThe mail waits for its delivery; no other copy is kept.');
  else show('cancelled', '### Cancelled\nThe account is being erased.');
}
