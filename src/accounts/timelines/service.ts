import { type z } from 'zod';
import {
  paymentWorkflowId,
  refundWorkflowId,
  storePurchaseWorkflowId,
  subscriptionWorkflowId,
} from '../../../workflows/messages';
import { type Caller } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { pageRange, type PageQuery } from '../../kit/page';
import { runOf } from '../../platform/service';
import { formatAmount } from '../../subscriptions/billing/money';
import { hasCustomer, selectTimeline, type TimelineRow } from './model';
import { presentEntry } from './presenter';

/** What happened to a customer: purchases and all that became of them, what somebody did to the account, and sign-ins. */
export async function getTimeline({ merchantId }: Caller, accountId: number, query: z.output<typeof PageQuery>) {
  if (!(await hasCustomer(merchantId, accountId))) throw new AppError('account_not_found');
  const { page, limit, offset } = pageRange(query);
  const { rows, total } = await selectTimeline(merchantId, accountId, { limit, offset });
  const collection = rows.map((row) => {
    const { amountMinor, currency, run, reference } = row;
    const amount = amountMinor === null ? '' : formatAmount(amountMinor, currency);
    return presentEntry(row, amount, runOf(workflowIds[run](reference)));
  });
  return { total, page, offset, limit, collection };
}

const workflowIds = {
  '': () => '',
  subscription: subscriptionWorkflowId,
  payment: paymentWorkflowId,
  refund: refundWorkflowId,
  store: storePurchaseWorkflowId,
} satisfies Record<TimelineRow['run'], (reference: string) => string>;
