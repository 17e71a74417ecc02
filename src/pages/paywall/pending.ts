import { html, type Html } from '../../kit/html';
import { type PageResponse, type PageResponseOptions } from '../../kit/pages/page';
import { listening, refreshing } from '../customer/listening';
import { address, type Paywall, stage, stageId, withToken } from './parts';

/** The steps of a purchase that is not decided yet. */

/** A submitted purchase. `after`: the position in the event stream before the event with its outcome. */
export interface Submitted {
  of: string;
  after: string;
  gift?: string | undefined;
  /** The visitor's choices, for another attempt. */
  fee?: string | undefined;
  voucher_code?: string | undefined;
  /** The method, unless it is a card: a direct debit, or one that the payer pays on a page of the bank. */
  by?: string | undefined;
  /** The step that the requesting page already shows. */
  seen?: string | undefined;
  /** The reference of the authentication that the payer has completed. */
  answered?: string | undefined;
}

/** The requesting page already shows this step. */
export const unchangedStage = (paywall: Paywall) => stage(paywall, html``, { headers: { 'HX-Reswap': 'none' } });

/** A step that the page already shows is not replaced, so that it is announced and focused once. */
export function pendingStage(
  paywall: Paywall,
  submitted: Submitted,
  step: 'submitted' | 'authentication' | 'processing',
  content: Html,
  options: PageResponseOptions = {},
): PageResponse {
  const from = { ...submitted, seen: step };
  const whole = html`<section class="card stack centred" ${listens(paywall, from)}>
    ${content} ${refreshing(paywall, withToken(paywall.visit, waitingAddress(paywall, from)))}
  </section>`;
  const isShown = submitted.seen === step;
  const shown = isShown ? { headers: { 'HX-Reswap': 'none' } } : { tell: { type: `paywall.${step}` } };
  return stage(paywall, whole, { ...options, ...shown });
}

function listens(paywall: Paywall, submitted: Submitted) {
  return listening(paywall, { again: waitingAddress(paywall, submitted), target: stageId });
}

function waitingAddress(paywall: Paywall, submitted: Submitted): string {
  const known = Object.entries(submitted).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return address(paywall, 'purchase', Object.fromEntries(known.filter(([, value]) => value !== '')));
}
