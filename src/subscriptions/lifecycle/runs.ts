import { clockState } from '../../adapters/clock';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import {
  type AskedSetup,
  type ChangeRequest,
  type CycleCharge,
  type RowCheck,
  type RunStart,
} from '../../../workflows/messages';
import { findOpenCharge } from '../charges/cycles.model';
import { RowAheadError, RowBehindError, refuseOutOfSync, reportBehind } from '../restorations';
import { findSetupOfSubscription } from '../setups/setups.model';
import { Subscription } from '../subscriptions.model';
import { hasBegun, lockRow, toSnapshot, type WorkflowRun } from './steps';
import { firstAmount } from './prices';

/**
 * The initial state of a run: the state of the row, and a charge that the row does not contain yet. A row that is
 * behind the previous run is reported, and the run still starts from the row.
 */
export async function readSubscription(check: RowCheck, run: WorkflowRun): Promise<RunStart> {
  try {
    return await readRow(check, run);
  } catch (error) {
    if (!(error instanceof RowBehindError)) throw error;
    await reportBehind(error);
    if (error.isGone) return { state: 'gone' };
  }
  return readRow({ ...check, version: 0 });
}

/** Throws if the row has another version than the run knows. */
export const checkRow = (check: RowCheck, run: WorkflowRun): Promise<void> => refuseOutOfSync(versionOf(check, run));

const versionOf = (check: RowCheck, { workflowId = '' }: WorkflowRun) => ({ ...check, workflowId });

/** Throws if the row is behind the version that the run knows. */
function readRow(check: RowCheck, run: Pick<WorkflowRun, 'workflowId'> = {}): Promise<RunStart> {
  const { subscriptionId } = check;
  return transaction(async (inTransaction) => {
    const row = await lockRow(check, run, inTransaction);
    const clock = await clockState(row.merchantId, inTransaction);
    const { state } = row;
    const requests = row.requests as ChangeRequest[];
    const known = { clock, ...(requests.length > 0 && { requests }) };
    if (state === 'incomplete')
      return {
        ...{ ...known, state, hasTrial: row.trialQuantity !== null, firstMinor: firstAmount(row) },
        ...(await setupOf(subscriptionId, inTransaction)),
      };
    if (!hasBegun(state)) return { ...known, state };
    const charge = await findOpenCharge(row, inTransaction);
    return { ...known, state: 'begun', snapshot: toSnapshot(row), ...(charge && chargeOf(row, charge)) };
  });
}

/** The stored changes that the run has not decided on, the oldest first. Throws if the row has a step that the run lost. */
export async function readRequests({ subscriptionId, version }: RowCheck): Promise<ChangeRequest[]> {
  const row = await Subscription.findByPk(subscriptionId, { attributes: ['requests', 'version'] });
  if (row && row.version > version) throw new RowAheadError({ subscriptionId, version });
  return (row?.requests ?? []) as ChangeRequest[];
}

/** Undefined if the payer need not authenticate a card. */
async function setupOf(subscriptionId: number, inTransaction: Transaction): Promise<{ setup?: AskedSetup }> {
  const setup = await findSetupOfSubscription(subscriptionId, inTransaction);
  return setup && setup.status !== 'verified' ? { setup: { askedAtMs: setup.askedAt.getTime() } } : {};
}

type OpenCharge = NonNullable<Awaited<ReturnType<typeof findOpenCharge>>>;

/**
 * `pendingAuthentication`: the row's current charge, which waits for its payer or was paid by it. `unfinished`: a charge that
 * the row does not contain yet.
 */
function chargeOf(
  row: Subscription,
  open: OpenCharge,
): { pendingAuthentication: CycleCharge } | { unfinished: CycleCharge } {
  const { cycle, attempt, amountMinor } = open;
  const charge = { subscriptionId: row.id, cycle, attempt, amountMinor, atMs: open.createdAt.getTime() };
  return cycle === row.cycle && attempt === row.attempt ? { pendingAuthentication: charge } : { unfinished: charge };
}
