import Stripe from 'stripe';
import { logger } from '../logger';
import { type ChargeResult, type DeclineReason, type ProviderNotification, type RefundResult } from './provider';

const settledStatuses: readonly string[] = ['succeeded', 'canceled'];
export const isSettled = (intent: Stripe.PaymentIntent) => settledStatuses.includes(intent.status);

export function resultOf(intent: Stripe.PaymentIntent): ChargeResult {
  const { id, status, last_payment_error: refusal } = intent;
  if (status === 'succeeded') return { outcome: 'paid', reference: id };
  if (status === 'requires_action') return actionOf(intent);
  if (status === 'requires_payment_method') return declineOf(refusal ?? {});
  if (status !== 'canceled') return { outcome: 'pending', reference: id };
  return declined('soft', 'authentication_expired', 'The payment was not confirmed in time.');
}

function actionOf(intent: Stripe.PaymentIntent): ChargeResult {
  const redirectUrl = intent.next_action?.redirect_to_url?.url;
  if (redirectUrl) return { outcome: 'requires_action', reference: intent.id, redirectUrl };
  return declined('soft', 'authentication_failed', 'Your card asks for an authentication, and there is no way back.');
}

/** What Stripe says with an error, as a result. What only a person can mend (a wrong key) is thrown. */
export async function answering(ask: () => Promise<ChargeResult>): Promise<ChargeResult> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof Stripe.errors.StripeCardError) return declineOf(error);
    if (isRefused(error)) return declined('hard', 'declined', 'Your card cannot be charged.');
    return unsettled(error);
  }
}

interface Refusal {
  code?: string | undefined;
  decline_code?: string | undefined;
  message?: string | undefined;
}

/** A card that will never pay again: retrying it only annoys its bank. */
const hardDeclines = new Set([
  'card_not_supported',
  'expired_card',
  'fraudulent',
  'invalid_account',
  'lost_card',
  'merchant_blacklist',
  'pickup_card',
  'restricted_card',
  'revocation_of_all_authorizations',
  'revocation_of_authorization',
  'security_violation',
  'stolen_card',
  'stop_payment_order',
]);

/** Nobody said no: the card's bank could not be asked. */
const lateDeclines = new Set(['issuer_not_available', 'processing_error', 'reenter_transaction', 'try_again_later']);

const reasons: Readonly<Record<string, DeclineReason>> = {
  insufficient_funds: 'insufficient_funds',
  expired_card: 'expired_card',
  lost_card: 'lost_card',
  stolen_card: 'lost_card',
  pickup_card: 'lost_card',
  authentication_required: 'authentication_failed',
  payment_intent_authentication_failure: 'authentication_failed',
};

/** The bank's reason to a thief is nobody's business: the text is Stripe's own for the customer. */
function declineOf({ code, decline_code, message }: Refusal): ChargeResult {
  const told = [code, decline_code].map((word) => word ?? '');
  const text = message ?? 'Your card was declined.';
  if (told.some((word) => lateDeclines.has(word))) return declined('later', 'try_again_later', text);
  const decline = told.some((word) => hardDeclines.has(word)) ? 'hard' : 'soft';
  const found = told.map((word) => reasons[word]).find((reason) => reason !== undefined);
  return declined(decline, found ?? 'declined', text);
}

function declined(decline: 'soft' | 'hard' | 'later', reason: DeclineReason, message: string): ChargeResult {
  return { outcome: 'declined', decline, reason, message };
}

/** Of a question that was not answered nothing follows: neither that there was no charge, nor that it was declined. */
export async function reading<Result>(ask: () => Promise<Result>): Promise<Result | { outcome: 'unknown' }> {
  try {
    return await ask();
  } catch (error) {
    const { StripeError, StripeAuthenticationError, StripePermissionError } = Stripe.errors;
    const isOurs = error instanceof StripeAuthenticationError || error instanceof StripePermissionError;
    if (isOurs || !(error instanceof StripeError)) throw error;
    return { outcome: 'unknown' };
  }
}

export function refundOf({ status, id, failure_reason }: Stripe.Refund): RefundResult {
  if (status !== 'failed' && status !== 'canceled') return { outcome: 'refunded', reference: id };
  return { outcome: 'refused', message: `The card's bank did not take the refund: ${failure_reason ?? status}.` };
}

export async function answeringRefund(ask: () => Promise<RefundResult>): Promise<RefundResult> {
  try {
    return await ask();
  } catch (error) {
    if (isRefused(error)) return { outcome: 'refused', message: error.message };
    return unsettled(error);
  }
}

export function isRefused(error: unknown): error is InstanceType<typeof Stripe.errors.StripeInvalidRequestError> {
  if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) return false;
  logger.warn({ code: error.code, providerRequest: error.requestId }, 'Stripe refused a request');
  return true;
}

/** An error after which nothing happened, or nobody knows whether it did. */
function unsettled(error: unknown): { outcome: 'not_sent' | 'unknown' } {
  const { errors } = Stripe;
  if (error instanceof errors.StripeRateLimitError) return { outcome: 'not_sent' };
  if (error instanceof errors.StripeConnectionError) return { outcome: neverConnected(error) ? 'not_sent' : 'unknown' };
  if (error instanceof errors.StripeAPIError) return { outcome: 'unknown' };
  // The same key is being worked on at this moment.
  if (error instanceof errors.StripeIdempotencyError && error.statusCode === 409) return { outcome: 'unknown' };
  throw error;
}

function neverConnected({ detail }: { detail?: unknown }): boolean {
  return ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'].includes((detail as { code?: string } | undefined)?.code ?? '');
}

/** A charge's outcome may also come long after its request: a payer who authenticates, a bank that disputes. */
export function notificationOf({ id, type, created, data }: Stripe.Event): ProviderNotification {
  const object = data.object as { id?: string; payment_intent?: string | null; status?: string };
  const reference = object.payment_intent ?? '';
  if (type.startsWith('payment_intent.')) return { id, about: 'charge', reference: object.id ?? '' };
  if (isOfRefund(type)) return { id, about: 'refund', reference };
  const { status = '' } = object;
  // An inquiry takes no money: it may become a dispute, which is told again.
  if (!type.startsWith('charge.dispute.') || status.startsWith('warning_')) return { id, about: 'other', reference };
  const dispute = { id: object.id ?? id, at: new Date(created * 1000) };
  return { id, about: status === 'won' ? 'dispute_won' : 'disputed', reference, dispute };
}

/** Made here or in Stripe's dashboard, and one that fails days later: each has words of its own. */
function isOfRefund(type: string): boolean {
  return type.startsWith('refund.') || type === 'charge.refunded' || type === 'charge.refund.updated';
}
