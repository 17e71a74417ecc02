import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { hourMs } from '../support/timeLapse';

/** One history for each path through the workflow, recorded from real servers. */
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
  'trial-payer-approves',
  'trial-given-up',
  'account-exported',
  'account-export-cancelled',
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
  'store-histories-read',
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
  'past-due-then-recovered',
  'on-hold-then-expired',
  'canceled',
  'cancellation-taken-back',
  'revoked-then-restored',
  'erased-on-hold',
  'paused-then-resumed',
  'extended',
  'kept-with-an-offer',
  'resumption-refused',
  'switched',
  'new-card',
  'trial-converted',
  'compared-with-its-row',
  'answered-without-a-step',
  'renewal-put-off',
  'trial-without-a-card',
  'trial-without-its-voucher',
  'goes-on-in-a-new-run',
  'in-a-new-run',
] as const;
export type LifePath = (typeof lifePaths)[number];
/** The provider does not report the outcome of a charge. */
export const doubtPaths = [
  'unknown-for-a-day',
  'given-up-with-patience',
  'approved-then-canceled',
  'answer-in-doubt',
  'renewal-in-doubt',
] as const;
export type DoubtPath = (typeof doubtPaths)[number];

export const debitPaths = [
  'debit-submitted-at-renewal',
  'debit-renewed',
  'debit-failed-after-access',
  'debit-taken-back',
  'debit-paid-later',
  'payment-debit-paid',
] as const;
export type DebitPath = (typeof debitPaths)[number];

export const webhookPaths = [
  'webhook-delivered',
  'webhook-failed-then-delivered',
  'webhook-gone',
  'webhook-single-while-off',
] as const;
export type WebhookPath = (typeof webhookPaths)[number];

export const reportPaths = ['report-unread', 'report-mailed', 'report-repeated', 'report-ended'] as const;
export type ReportPath = (typeof reportPaths)[number];

export const demoDataPaths = ['demo-data-filled'] as const;
export type DemoDataPath = (typeof demoDataPaths)[number];

const folder = join(__dirname, 'histories');

export const listHistories = () => readdirSync(folder).filter((name) => name.endsWith('.json'));

export const readHistory = (name: string) => readFileSync(join(folder, name), 'utf8');

/** Without the facts about the machine that recorded it. */
export function writeHistory(
  path: Path | LifePath | DoubtPath | DebitPath | PaymentPath | WebhookPath | ReportPath | DemoDataPath,
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

/** Gives a history that was recorded with accelerated time its real times. */
export function unlapse(history: string, unitMs = hourMs): string {
  const recorded = JSON.parse(history) as { events: HistoryEvent[] };
  const skippedMs = new Map<string, number>();
  let laterByMs = 0;
  for (const event of recorded.events) {
    const timer = event.timerStartedEventAttributes;
    if (timer) {
      const lapsed = Math.round(Number.parseFloat(timer.startToFireTimeout) * 1000);
      timer.startToFireTimeout = `${(lapsed * unitMs) / 1000}s`;
      skippedMs.set(event.eventId, lapsed * unitMs - lapsed);
    }
    laterByMs += skippedMs.get(event.timerFiredEventAttributes?.startedEventId ?? '') ?? 0;
    event.eventTime = new Date(Date.parse(event.eventTime) + laterByMs).toISOString();
  }
  return JSON.stringify(recorded);
}
