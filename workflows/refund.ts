import { log, proxyActivities, sleep } from '@temporalio/workflow';
import { type Activities } from '../activities';
import { type RefundInput, type RefundOutcome, type RefundResult } from './messages';
import { show, showFailure } from './operator';
import { lookUpFirstMs, lookUpMaxMs, payment } from './policies';

const { sendRefund, lookUpRefund } = proxyActivities<Activities>(payment);

type Known = Exclude<RefundOutcome, { outcome: 'not_sent' | 'unknown' }>;

/** Money that a merchant gives back. Each step writes what the provider said, with all that follows from it. */
export async function refund({ refundId }: RefundInput): Promise<RefundResult> {
  const outcome = await refundOnce(refundId);
  if (outcome.outcome === 'refunded') {
    show('refunded', '### Refunded');
    return { state: 'refunded' };
  }
  showFailure('failed', { reason: 'refused', message: outcome.message });
  return { state: 'failed' };
}

/** One refund to its known outcome. What the provider never saw is sent again under the same key. */
async function refundOnce(refundId: number): Promise<Known> {
  let outcome = await sendRefund(refundId);
  for (let waitMs = lookUpFirstMs; ; waitMs = Math.min(waitMs * 2, lookUpMaxMs)) {
    if (outcome.outcome === 'unknown') outcome = await lookUpRefund(refundId);
    if (outcome.outcome !== 'unknown' && outcome.outcome !== 'not_sent') return outcome;
    log.warn('a refund has no outcome yet', { refundId, outcome: outcome.outcome });
    await sleep(waitMs, { summary: 'before turning to the provider again' });
    if (outcome.outcome === 'not_sent') outcome = await sendRefund(refundId);
  }
}
