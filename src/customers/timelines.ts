import { type z } from 'zod';
import {
  paymentWorkflowId,
  refundWorkflowId,
  storePurchaseWorkflowId,
  subscriptionWorkflowId,
} from '../../workflows/messages';
import { merchantNow } from '../adapters/clock';
import { type Caller } from '../kit/auth';
import { inParts, shownParts } from '../kit/csv';
import { AppError } from '../kit/errors';
import { cursorRange, type CursorQuery, exactPlace, nextCursor } from '../kit/page';
import { runOf } from '../platform';
import { formatAmount, toMajor } from '../billing/money';
import { countTimeline, hasCustomer, selectTimeline, type TimelineRow } from './timelines.model';
import { presentEntry } from './timelines.presenter';

/** A customer's history: purchases and their changes, actions on the account, and sign-ins. */
export async function getTimeline({ merchantId }: Caller, accountId: number, query: z.output<typeof CursorQuery>) {
  if (!(await hasCustomer(merchantId, accountId))) throw new AppError('account_not_found');
  const { page, limit, offset, after } = cursorRange(query);
  const place = exactPlace(after);
  const from = place ? Math.max(0, place.id) : offset;
  const rows = await selectTimeline(merchantId, accountId, { limit, offset: from, until: place?.at });
  const until = place?.at ?? (await endOf(merchantId, rows));
  // Entries of different tables have no common id, so a cursor is an offset among the entries until a fixed time.
  const next_cursor = nextCursor(rows, { limit }, () => ({ at: until, id: from + rows.length }));
  const total = await countTimeline(merchantId, accountId);
  return { total, page, offset, limit, next_cursor, collection: rows.map(present) };
}

/** The time of the newest entry, so that the following pages exclude later entries. */
async function endOf(merchantId: number, [newest]: readonly TimelineRow[]): Promise<string> {
  const presentMs = (await merchantNow(merchantId)).getTime();
  const endMs = Math.max(presentMs, newest?.happenedAt.getTime() ?? 0) + 1;
  return new Date(endMs).toISOString().replace('T', ' ').replace('Z', '+00');
}

/** Reads all entries until now in parts, in the same order. */
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
  const amount =
    amountMinor === null
      ? { amount: '', amount_number: null }
      : { amount: formatAmount(amountMinor, currency), amount_number: toMajor(amountMinor, currency) };
  return presentEntry(row, amount, runOf(workflowIds[run](reference)));
}

const workflowIds = {
  '': () => '',
  subscription: subscriptionWorkflowId,
  payment: paymentWorkflowId,
  refund: refundWorkflowId,
  store: storePurchaseWorkflowId,
} satisfies Record<TimelineRow['run'], (reference: string) => string>;
