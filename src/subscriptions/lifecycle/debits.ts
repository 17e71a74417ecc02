import { queueMail } from '../../mail/mail';
import { releaseVoucher } from '../../vouchers/uses';
import {
  type DebitInput,
  type FirstDebitInput,
  type StepInput,
  type SubscriptionSnapshot,
} from '../../../workflows/messages';
import { beginDunning, graceEndsMs } from '../../billing/dunning';
import { getPaidCharge, reverseCharge } from '../charges/cycles.model';
import { closeAccess, extendAccess, extendPaidAccess } from './accesses';
import { columnsOf, failureEvents, mailFailure } from './dunning';
import { presentFailure } from './lifecycle.presenter';
import { eventOf, mailTo, noDunning, purchaseOf, revokedEvent } from './periods';
import { describePayment, type StepContext, takeStep, type WorkflowRun } from './steps';
import { noCharge } from './prices';

/** The steps of a subscription that is paid by direct debit. */

/**
 * The period's debit was submitted. A renewal keeps its access. After an earlier failure, access opens only when the
 * money arrives.
 */
export function awaitDebit({ attempt, ...input }: DebitInput, run: WorkflowRun): Promise<SubscriptionSnapshot> {
  return takeStep(input, run, async (moment) => {
    const { row, at } = moment;
    const { currentPeriodStart: startsAt, currentPeriodEnd: endsAt } = row;
    if (row.state === 'active' && startsAt && endsAt) await extendPaidAccess(moment, startsAt, endsAt);
    return {
      reason: 'the bank processes the direct debit',
      changes: { attempt, processingAt: at, ...nothingDeferred },
    };
  });
}

const nothingDeferred = { deferredAt: null, deferredNo: 0, deferredUntil: null };

/** The first debit failed after it had opened access: the subscription ends. */
export function failFirstDebit(input: FirstDebitInput, run: WorkflowRun): Promise<SubscriptionSnapshot> {
  return takeStep(input, run, async (moment) => {
    const { row, at, inTransaction } = moment;
    const { reason, message } = input;
    await closeAccess(moment, at);
    await releaseVoucher(inTransaction, row.token);
    await mailFailedDebit(moment, row.dueMinor, reason);
    const ended = { state: 'expired', endedAt: at, failureReason: reason, failureMessage: message } as const;
    return {
      reason: `declined: ${reason}`,
      changes: { ...ended, dueMinor: 0, ...noDunning },
      events: [
        await revokedEvent(row, inTransaction),
        { type: 'subscribe.failed', ...eventOf(row, 'failed'), resource: presentFailure(row, message) },
        {
          type: 'subscribe.expired',
          ...eventOf(row, 'expired'),
          resource: describePayment(moment, 0, 'expired', noCharge),
        },
      ],
    };
  });
}

/** Mails that the first debit of a subscription failed. */
export async function mailFailedDebit(moment: StepContext, amountMinor: number, reason: string): Promise<void> {
  const { row, facts, inTransaction } = moment;
  const values = { ...purchaseOf(row, facts.description, amountMinor), reason, method: 'direct_debit' as const };
  await queueMail(inTransaction, mailTo(moment, 'debit_failed', values));
}

const returned = {
  reason: 'debit_returned',
  message: 'Your bank has taken the direct debit back.',
  decline: 'soft',
} as const;

/** The payer's bank has taken the paid debit of the running period back. The period is collected again. */
export function returnDebit(input: StepInput, run: WorkflowRun): Promise<SubscriptionSnapshot> {
  return takeStep(input, run, async (moment) => {
    const { row, at, inTransaction } = moment;
    const charge = await getPaidCharge(row.id, row.cycle, inTransaction);
    await reverseCharge(charge.id, at, inTransaction);
    const plan = { graceDays: row.graceDays ?? 0, retryDays: row.retryDays ?? [] };
    const dunning = beginDunning(plan, input.atMs, returned.decline);
    const accessEndsMs = graceEndsMs(dunning);
    await closeAccess(moment, at);
    await extendAccess(moment, row.currentPeriodStart ?? at, new Date(accessEndsMs));
    const failure = { ...input, ...returned, attempt: row.attempt };
    await mailFailure(moment, { input: failure, needsCard: false, amountMinor: charge.amountMinor, accessEndsMs });
    return {
      reason: `declined: ${returned.reason}`,
      changes: {
        ...columnsOf(dunning),
        state: 'past_due',
        dueMinor: charge.dueMinor,
        discountCycle: Math.max(0, row.discountCycle - 1),
        failureReason: returned.reason,
        failureMessage: returned.message,
      },
      events: failureEvents(moment, charge.amountMinor, true),
    };
  });
}
