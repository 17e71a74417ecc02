import { type z } from 'zod';
import { paymentWorkflowId, refundWorkflowId, subscriptionWorkflowId } from '../../../workflows/messages';
import { type Caller } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { pageRange, type PageQuery } from '../../kit/page';
import { runOf } from '../../platform/service';
import { hasCustomer, selectTimeline } from './model';
import { presentEntry } from './presenter';

/** What happened to a customer: what clients were told, what somebody did to the account, and its sign-ins. */
export async function getTimeline({ merchantId }: Caller, accountId: number, query: z.output<typeof PageQuery>) {
  if (!(await hasCustomer(merchantId, accountId))) throw new AppError('account_not_found');
  const { page, limit, offset } = pageRange(query);
  const { rows, total } = await selectTimeline(merchantId, accountId, { limit, offset });
  const collection = rows.map((row) => {
    const { reference, workflowId } = purchaseOf(row.resource);
    return presentEntry(row, reference, runOf(workflowId));
  });
  return { total, page, offset, limit, collection };
}

/** The purchase that an event is about, and the run that lives for it: a refund has one of its own. */
function purchaseOf(resource: Record<string, unknown>): { reference: string; workflowId: string } {
  const kinds = [
    ['refund_token', refundWorkflowId],
    ['subscription_id', subscriptionWorkflowId],
    ['transaction', paymentWorkflowId],
  ] as const;
  for (const [name, workflowIdOf] of kinds) {
    const reference = resource[name];
    if (typeof reference === 'string' && reference !== '') return { reference, workflowId: workflowIdOf(reference) };
  }
  return { reference: '', workflowId: '' };
}
