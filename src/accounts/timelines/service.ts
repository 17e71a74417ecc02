import { type z } from 'zod';
import {
  paymentWorkflowId,
  refundWorkflowId,
  storePurchaseWorkflowId,
  subscriptionWorkflowId,
} from '../../../workflows/messages';
import { merchantNow } from '../../adapters/clock';
import { type Caller } from '../../kit/auth';
import { inParts, shownParts } from '../../kit/csv';
import { AppError } from '../../kit/errors';
import { pageRange, type PageQuery } from '../../kit/page';
import { runOf } from '../../platform/service';
import { formatAmount } from '../../subscriptions/billing/money';
import { countTimeline, hasCustomer, selectTimeline, type TimelineRow } from './model';
import { presentEntry } from './presenter';

/** What happened to a customer: purchases and all that became of them, what somebody did to the account, and sign-ins. */
export async function getTimeline({ merchantId }: Caller, accountId: number, query: z.output<typeof PageQuery>) {
  if (!(await hasCustomer(merchantId, accountId))) throw new AppError('account_not_found');
  const { page, limit, offset } = pageRange(query);
  const rows = await selectTimeline(merchantId, accountId, { limit, offset });
  const total = await countTimeline(merchantId, accountId);
  return { total, page, offset, limit, collection: rows.map(present) };
}

/** All of it until now in parts, in the same order. */
export async function readTimeline({ merchantId }: Caller, accountId: number) {
  if (!(await hasCustomer(merchantId, accountId))) throw new AppError('account_not_found');
  const until = await merchantNow(merchantId);
  let offset = 0;
  const read = async (limit: number) => {
    const rows = await selectTimeline(merchantId, accountId, { limit, offset, until });
    offset += rows.length;
    return rows;
  };
  return shownParts(
    inParts(read, () => offset),
    present,
  );
}

function present(row: TimelineRow) {
  const { amountMinor, currency, run, reference } = row;
  const amount = amountMinor === null ? '' : formatAmount(amountMinor, currency);
  return presentEntry(row, amount, runOf(workflowIds[run](reference)));
}

const workflowIds = {
  '': () => '',
  subscription: subscriptionWorkflowId,
  payment: paymentWorkflowId,
  refund: refundWorkflowId,
  store: storePurchaseWorkflowId,
} satisfies Record<TimelineRow['run'], (reference: string) => string>;
