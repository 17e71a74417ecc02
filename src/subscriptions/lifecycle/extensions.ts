import { moveBack } from '../../entitlements/stacking';
import { type ExtendInput, type SubscriptionSnapshot } from '../../../workflows/messages';
import { hasChange } from '../transitions.model';
import { accessEndOf, openAccess } from './accesses';
import { updatedEvent } from './periods';
import { afterwards, describePayment, takeStep, type Outcome, type StepContext, type WorkflowRun } from './steps';
import { noCharge } from './prices';

const dayMs = 86_400_000;

/**
 * Makes the running period or trial longer, without a charge. The next charge moves with its end, and later periods
 * count from there. A planned pause keeps its length. A request that was carried out by an earlier run changes nothing.
 */
export function extendPeriod(
  { days, changeId, ...input }: ExtendInput,
  run: WorkflowRun,
): Promise<SubscriptionSnapshot> {
  return takeStep(input, run, async (moment) => {
    if (await hasChange(moment.inTransaction, moment.row.id, changeId))
      return { reason: 'extended already', changes: {} };
    return { ...(await extend(moment, days * dayMs)), changeId };
  });
}

async function extend(moment: StepContext, byMs: number): Promise<Outcome> {
  const { row, at, inTransaction } = moment;
  const endsAt = later(row.currentPeriodEnd ?? at, byMs);
  const changes = {
    anchorAt: endsAt,
    periodNo: 0,
    currentPeriodEnd: endsAt,
    ...(row.state === 'trialing' && { trialEnd: endsAt }),
    ...(row.resumesAt && { resumesAt: later(row.resumesAt, byMs) }),
    reminded: [] as string[],
  };
  const from = await accessEndOf(moment);
  const access = await openAccess(moment, at, endsAt);
  if (from) await moveBack(inTransaction, row, { id: access.id, from });
  const resource = describePayment(afterwards(moment, changes), 0, 'extended', noCharge);
  return { reason: 'extended', changes, events: [updatedEvent(row, resource)] };
}

const later = (at: Date, byMs: number) => new Date(at.getTime() + byMs);
