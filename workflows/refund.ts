import { log, proxyActivities, sleep } from '@temporalio/workflow';
import { type Activities } from '../activities';
import { inBackground } from './background';
import { type RefundInput, type RefundOutcome, type RefundResult } from './messages';
import { show, showFailure } from './operator';
import { lookUpFirstMs, lookUpMaxMs, payment, pendingRefundMaxMs } from './policies';

const { sendRefund, lookUpRefund } = proxyActivities<Activities>(payment);

type KnownOutcome = Exclude<RefundOutcome, { outcome: 'not_sent' | 'pending' | 'unknown' }>;

/** One refund by a merchant. Each step writes the provider's answer together with all its consequences. */
export async function refund({ refundId }: RefundInput): Promise<RefundResult> {
  const outcome = await refundOnce(refundId);
  if (outcome.outcome === 'refunded') {
    show('refunded', '### Refunded');
    return { state: 'refunded' };
  }
  showFailure('failed', { reason: 'refused', message: outcome.message });
  return { state: 'failed' };
}

/** Sends one refund and returns its outcome. If the provider refunded nothing, it is sent again under the same key. */
async function refundOnce(refundId: number): Promise<KnownOutcome> {
  let outcome = await sendRefund(refundId);
  for (let waitMs = lookUpFirstMs; ; waitMs *= 2) {
    if (outcome.outcome === 'unknown') outcome = await lookUp(refundId);
    if (isKnown(outcome)) return outcome;
    const isPending = outcome.outcome === 'pending';
    if (isPending) show('pending', '### Pending\nThe bank of the customer decides within days.');
    else log.warn('a refund has no outcome yet', { refundId, outcome: outcome.outcome });
    waitMs = Math.min(waitMs, isPending ? pendingRefundMaxMs : lookUpMaxMs);
    await sleep(waitMs, { summary: 'before the provider is asked again' });
    if (isPending) outcome = await lookUp(refundId);
    else if (outcome.outcome === 'not_sent') outcome = await sendRefund(refundId);
  }
}

const lookUp = (refundId: number) => lookUpRefund.executeWithOptions(inBackground(), [refundId]);

function isKnown(outcome: RefundOutcome): outcome is KnownOutcome {
  return outcome.outcome === 'refunded' || outcome.outcome === 'refused';
}
