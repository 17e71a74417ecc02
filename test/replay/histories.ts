import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { unlapsedMs } from '../support/timeLapse';

/** One history a path through the workflow, recorded from real servers; those of every release stay for ever. */
export const paths = [
  'paid',
  'declined',
  'answer-lost-then-paid',
  'not-charged-then-paid',
  'waiting-for-the-payer',
  'payer-approves',
  'payer-refuses',
  'payer-confirms-early-then-approves',
  'payer-never-answers',
  // Of the code before there were renewals: it stays, and cannot be recorded again.
  'period-ends',
  'account-exported',
  'account-export-cancelled',
  // Of the code before erasures gave charges back and told live-chat partners: these two stay.
  'account-erased',
  'account-erased-with-a-subscription',
  'account-erased-with-its-key',
  'account-erased-everywhere',
  'account-erased-everywhere-with-a-subscription',
  'erased-while-active',
  'erased-while-waiting-for-the-payer',
  'store-claim-succeeded',
  'store-claim-failed',
  'store-claim-waits-for-its-store',
  'store-purchase-waits',
  'store-purchase-over',
  'store-purchase-unclaimed',
] as const;
export type Path = (typeof paths)[number];

export const paymentPaths = [
  'payment-paid',
  'payment-declined',
  'payment-answer-lost-then-paid',
  'payment-not-charged-then-paid',
  'payment-waiting-for-the-payer',
  'payment-payer-approves',
  'payment-payer-refuses',
  'payment-payer-never-answers',
  'payment-approved-too-late',
  'payment-given-up-for-another-card',
  'refund-done',
  'refund-refused',
  'refund-answer-lost',
  'refund-not-sent-then-done',
  'reconcile',
] as const;
export type PaymentPath = (typeof paymentPaths)[number];

export const lifePaths = [
  'renewed',
  'old-run-renewed',
  'past-due-then-recovered',
  'on-hold-then-expired',
  'canceled',
  'cancellation-taken-back',
  'revoked-then-restored',
  'erased-on-hold',
  'paused-then-resumed',
  'resumption-refused',
  'switched',
  'new-card',
  'trial-converted',
  'trial-without-a-card',
  'trial-without-its-voucher',
  'goes-on-in-a-new-run',
  'in-a-new-run',
] as const;
export type LifePath = (typeof lifePaths)[number];
/** One for each `patched()` that the paths above do not take. */
export const patchPaths = [
  'unknown-for-a-day',
  'given-up-with-patience',
  'approved-then-canceled',
  'answer-in-doubt',
  'renewal-in-doubt',
] as const;
export type PatchPath = (typeof patchPaths)[number];

export const webhookPaths = [
  'webhook-queue-delivers',
  'webhook-queue-stopped',
  'webhook-queue-delivery-ended-from-outside',
  'webhook-delivered',
  'webhook-tried-at-once-then-delivered',
  'webhook-fails-then-delivered',
  'webhook-given-up',
  'webhook-gone',
  'webhook-stopped',
  'webhook-event-dropped',
  'webhook-single',
  'webhook-single-fails',
] as const;
export type WebhookPath = (typeof webhookPaths)[number];

export const reportPaths = ['report-mailed', 'report-repeated', 'report-ended'] as const;
export type ReportPath = (typeof reportPaths)[number];

const folder = join(__dirname, 'histories');

export const listHistories = () => readdirSync(folder).filter((name) => name.endsWith('.json'));

export const readHistory = (name: string) => readFileSync(join(folder, name), 'utf8');

/** Without what tells of the machine that recorded it. */
export function writeHistory(
  path: Path | LifePath | PatchPath | PaymentPath | WebhookPath | ReportPath,
  history: string,
): void {
  const text = JSON.stringify(JSON.parse(history), undefined, 1).replaceAll(`${process.pid}@${hostname()}`, 'worker');
  writeFileSync(join(folder, `${path}.json`), `${text}\n`);
}

interface HistoryEvent {
  eventTime: string;
  timerStartedEventAttributes?: { startToFireTimeout: string };
  timerFiredEventAttributes?: { startedEventId: string };
  eventId: string;
}

/** What was recorded under the time lapse, as it would have been without it: timers take as long as they stand for. */
export function unlapse(history: string): string {
  const recorded = JSON.parse(history) as { events: HistoryEvent[] };
  const skippedMs = new Map<string, number>();
  let laterByMs = 0;
  for (const event of recorded.events) {
    const timer = event.timerStartedEventAttributes;
    if (timer) {
      const lapsed = Math.round(Number.parseFloat(timer.startToFireTimeout) * 1000);
      timer.startToFireTimeout = `${unlapsedMs(lapsed) / 1000}s`;
      skippedMs.set(event.eventId, unlapsedMs(lapsed) - lapsed);
    }
    laterByMs += skippedMs.get(event.timerFiredEventAttributes?.startedEventId ?? '') ?? 0;
    event.eventTime = new Date(Date.parse(event.eventTime) + laterByMs).toISOString();
  }
  return JSON.stringify(recorded);
}
