import { moveBack } from '../../entitlements/stacking';
import { getExtendedEnd } from '../../entitlements/extensions';
import { AppError } from '../../kit/errors';
import { type ExtendInput, type ExtensionOutcome } from '../../../workflows/messages';
import { findChange } from '../transitions.model';
import { accessEndOf, openAccess } from './accesses';
import { updatedEvent } from './periods';
import { afterwards, describePayment, takeStep, type Outcome, type StepContext, type WorkflowRun } from './steps';
import { noCharge } from './prices';

/**
 * Makes the running period or trial longer, without a charge. The next charge moves with its end, and later periods
 * count from there. A planned pause keeps its length. A request that was carried out by an earlier run changes nothing.
 */
export async function extendPeriod({ days, ...input }: ExtendInput, run: WorkflowRun): Promise<ExtensionOutcome> {
  const { changeId } = input;
  try {
    return await takeStep(input, run, async (moment) => {
      if (await findChange(moment.inTransaction, moment.row.id, changeId))
        return { reason: 'extended already', changes: {} };
      return { ...(await extend(moment, days)), changeId };
    });
  } catch (error) {
    const refused = error instanceof AppError ? error.details.errors?.['days'] : undefined;
    if (refused === undefined) throw error;
    return { refused };
  }
}

async function extend(moment: StepContext, days: number): Promise<Outcome> {
  const { row, at, inTransaction } = moment;
  // The row is locked, so an extension at the same time counts.
  const endsAt = getExtendedEnd(row.currentPeriodEnd ?? at, days);
  const changes = {
    anchorAt: endsAt,
    periodNo: 0,
    currentPeriodEnd: endsAt,
    ...(row.state === 'trialing' && { trialEnd: endsAt }),
    ...(row.resumesAt && { resumesAt: getExtendedEnd(row.resumesAt, days) }),
    reminded: [] as string[],
  };
  const from = await accessEndOf(moment);
  const access = await openAccess(moment, at, endsAt);
  if (from) await moveBack(inTransaction, row, { id: access.id, from });
  const resource = describePayment(afterwards(moment, changes), 0, 'extended', noCharge);
  return { reason: 'extended', changes, events: [updatedEvent(row, resource)] };
}
