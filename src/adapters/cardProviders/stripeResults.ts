import Stripe from 'stripe';
import { logger } from '../logger';
import { type ProviderNotification } from './notifications';
import { noTurn } from './pace';
import {
  cardTokenOf,
  isConfirmationToken,
  joinToken,
  printedOn,
  savedBySetup,
  savedMandateOf,
  splitToken,
} from './stripeTokens';
import { disputeOf, isInquiry } from './stripeDisputes';
import { awaitsWallet } from './stripeWallets';
import {
  type ChargeResult,
  type DeclinedOutcome,
  type DeclineReason,
  type MisconfiguredOutcome,
  type SetupResult,
} from './provider';
import { type RefundResult } from './refunds';

export const isSettled = ({ status }: Stripe.PaymentIntent) => status === 'succeeded' || status === 'canceled';

/** `by`: the token that made the charge. A token for single use is replaced by that of the card. */
export function resultOf(intent: Stripe.PaymentIntent, by: { token?: string | null } = {}): ChargeResult {
  const { id, status, last_payment_error: refusal } = intent;
  if (status === 'succeeded') return { outcome: 'paid', reference: id, ...replacementOf(intent, by.token ?? '') };
  if (status === 'requires_action') return actionOf(intent);
  if (awaitsPayer(intent) || awaitsWallet(intent)) return { outcome: 'requires_action', reference: id };
  if (status === 'requires_payment_method') return declineOf(refusal ?? {});
  if (isAtBank(intent)) return { outcome: 'processing', reference: id };
  if (status !== 'canceled') return { outcome: 'pending', reference: id };
  return declined('soft', 'authentication_expired', 'The payment was not confirmed in time.');
}

/** Whether the payer's bank decides on a direct debit, which cannot be stopped any more. */
export const isAtBank = ({ status, payment_method_types: types }: Stripe.PaymentIntent) =>
  status === 'processing' && types.includes('sepa_debit');

function replacementOf(intent: Stripe.PaymentIntent, token: string): { cardToken?: string; lastFour?: string } {
  const cardToken = isConfirmationToken(splitToken(token).method) ? cardTokenOf(intent) : undefined;
  return cardToken === undefined ? (savedMandateOf(intent) ?? {}) : { cardToken };
}

const authenticationRequired = 'authentication_required';

/** Whether a bank refused to charge without the payer. The payer can confirm the same intent. */
export function awaitsPayer({ status, last_payment_error: refusal }: Stripe.PaymentIntent): boolean {
  return status === 'requires_payment_method' && codesOf(refusal ?? {}).includes(authenticationRequired);
}

function actionOf(intent: Stripe.PaymentIntent): ChargeResult {
  const { id: reference, next_action: action } = intent;
  if (isForScript(action)) return { outcome: 'requires_action', reference };
  const redirectUrl = action?.redirect_to_url?.url;
  if (redirectUrl) return { outcome: 'requires_action', reference, redirectUrl };
  return declined('soft', 'authentication_failed', 'Your card requires an authentication, which is not possible here.');
}

/** Whether Stripe's script lets the payer authenticate. Only intents of its own tokens ask for that. */
export const isForScript = (action: { type: string } | null | undefined) => action?.type === 'use_stripe_sdk';

export function setupOf(intent: Stripe.SetupIntent): SetupResult {
  const { id: reference, status, next_action: action, last_setup_error: refusal } = intent;
  const saved = savedBySetup(intent);
  if (status === 'succeeded' && saved) return { outcome: 'verified', ...saved };
  if (status === 'canceled') return declined('soft', 'authentication_expired', 'The card was not confirmed in time.');
  if (status === 'requires_payment_method') return declineOf(refusal ?? {});
  if (status !== 'requires_action') return { outcome: 'unknown' };
  const redirectUrl = isForScript(action) ? undefined : action?.redirect_to_url?.url;
  return { outcome: 'requires_action', reference, ...(redirectUrl && { redirectUrl }) };
}

type Failure = DeclinedOutcome | MisconfiguredOutcome | { outcome: 'not_sent' | 'unknown' };

/** Turns Stripe's errors into results. Only a `card_error` concerns the payer's card. */
export async function answering<Result>(ask: () => Promise<Result>): Promise<Result | Failure> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof Stripe.errors.StripeCardError) return declineOf(error);
    if (isSpentToken(error)) return declined('soft', 'payment_token_spent', spentText);
    if (isEndedMandate(error)) return declined('hard', 'declined', 'The agreement to later payments has ended.');
    return findMisconfiguration(error) ?? unsettled(error);
  }
}

const spentText = 'The card details have expired. Please enter the card again.';

/** A confirmation token was accepted, and has expired or was used since. Nothing was charged. */
function isSpentToken(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeInvalidRequestError && error.param === 'confirmation_token';
}

/** The payer or the bank has ended the mandate. Nothing was charged. */
function isEndedMandate(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'payment_intent_mandate_invalid';
}

/** Turns the answer to a charge into its result. An intent that a bank declines comes with the error. */
export function answeringCharge(
  ask: () => Promise<Stripe.PaymentIntent>,
  by: { token?: string } = {},
): Promise<ChargeResult> {
  return answering(async () => {
    try {
      return resultOf(await ask(), by);
    } catch (error) {
      const isDeclined = error instanceof Stripe.errors.StripeCardError;
      if (isDeclined && error.payment_intent && awaitsPayer(error.payment_intent))
        return resultOf(error.payment_intent);
      throw error;
    }
  });
}

/** A refusal that only the operator or the merchant can correct; undefined for every other error. */
export function findMisconfiguration(error: unknown): MisconfiguredOutcome | undefined {
  const { StripeAuthenticationError, StripeInvalidRequestError, StripePermissionError } = Stripe.errors;
  const isUnauthorized = error instanceof StripeAuthenticationError;
  const isRequest = error instanceof StripeInvalidRequestError || error instanceof StripePermissionError;
  if (!isUnauthorized && !isRequest) return undefined;
  const fault = { code: error.code ?? error.rawType ?? 'refused', message: error.message };
  // Stripe stores an answer under the idempotency key only after it has authenticated the request.
  return { outcome: 'misconfigured', fault, isKept: !isUnauthorized };
}

interface Refusal {
  advice_code?: string | undefined;
  /** The advice of the card network, as two digits. */
  network_advice_code?: string | undefined;
  code?: string | undefined;
  decline_code?: string | undefined;
  message?: string | undefined;
}

/** Declines after which a card never pays again. Card networks charge a fee for each further try. */
const hardDeclines = new Set([
  'account_closed',
  'bank_account_restricted',
  'bank_ownership_changed',
  'card_not_supported',
  'debit_not_authorized',
  'do_not_try_again',
  'expired_card',
  'fraudulent',
  'highest_risk_level',
  'incorrect_number',
  'invalid_account',
  'invalid_number',
  'lost_card',
  'merchant_blacklist',
  'no_account',
  'pickup_card',
  'restricted_card',
  'revocation_of_all_authorizations',
  'revocation_of_authorization',
  'security_violation',
  'stolen_card',
  'stop_payment_order',
  'transaction_not_allowed',
]);

/** Declines of a bank that could not be reached: the charge can succeed later. */
const lateDeclines = new Set(['issuer_not_available', 'processing_error', 'reenter_transaction', 'try_again_later']);

const reasons: Readonly<Record<string, DeclineReason>> = {
  account_closed: 'account_closed',
  no_account: 'account_closed',
  insufficient_funds: 'insufficient_funds',
  expired_card: 'expired_card',
  lost_card: 'lost_card',
  stolen_card: 'lost_card',
  pickup_card: 'lost_card',
  payment_intent_authentication_failure: 'authentication_failed',
  setup_intent_authentication_failure: 'authentication_failed',
};

/** The customer reads Stripe's text, which does not reveal that a card was reported lost or stolen. */
function declineOf(refusal: Refusal): DeclinedOutcome {
  const { message } = refusal;
  const advice = adviceOf(refusal);
  const codes = codesOf(refusal);
  const text = message ?? 'Your card was declined.';
  // The same data is refused again, so the customer must enter the card anew.
  const isFinal = advice === 'do_not_try_again' || advice === 'confirm_card_data';
  if (!isFinal && codes.some((one) => lateDeclines.has(one))) return declined('later', 'try_again_later', text);
  const decline = isFinal || codes.some((one) => hardDeclines.has(one)) ? 'hard' : 'soft';
  const found = codes.map((one) => reasons[one]).find((reason) => reason !== undefined);
  return declined(decline, found ?? 'declined', text);
}

const codesOf = (refusal: Refusal) => [adviceOf(refusal), refusal.code, refusal.decline_code].map((text) => text ?? '');

/** The advice of Visa and Mastercard, in Stripe's words. 21: the customer has cancelled the agreement. */
const networkAdvice: Readonly<Record<string, string>> = {
  '01': 'confirm_card_data',
  '02': 'try_again_later',
  '03': 'do_not_try_again',
  '21': 'do_not_try_again',
};

const adviceOf = ({ advice_code, network_advice_code }: Refusal) =>
  advice_code ?? networkAdvice[network_advice_code ?? ''];

function declined(decline: 'soft' | 'hard' | 'later', reason: DeclineReason, message: string): DeclinedOutcome {
  return { outcome: 'declined', decline, reason, message };
}

/** A failed look-up is `unknown`: it shows neither that a charge is missing nor that it was declined. */
export async function reading<Result>(ask: () => Promise<Result>): Promise<Result | { outcome: 'unknown' }> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    const misconfigured = findMisconfiguration(error);
    if (misconfigured) logger.error({ ...misconfigured.fault }, 'Stripe refuses to look up a charge or a refund');
    return { outcome: 'unknown' };
  }
}

export function refundOf({ status, id, failure_reason }: Stripe.Refund): RefundResult {
  // `requires_action`: the customer must name an account that takes the money.
  if (status === 'pending' || status === 'requires_action') return { outcome: 'pending', reference: id };
  if (status !== 'failed' && status !== 'canceled') return { outcome: 'refunded', reference: id };
  return { outcome: 'refused', message: `The card's bank did not take the refund: ${failure_reason ?? status}.` };
}

export async function answeringRefund(ask: () => Promise<RefundResult>): Promise<RefundResult> {
  try {
    return await ask();
  } catch (error) {
    if (isRefused(error)) return { outcome: 'refused', message: error.message };
    const misconfigured = findMisconfiguration(error);
    if (!misconfigured) return unsettled(error);
    logger.error({ ...misconfigured.fault }, 'Stripe refuses to make refunds');
    return { outcome: 'not_sent' };
  }
}

export function isRefused(error: unknown): error is InstanceType<typeof Stripe.errors.StripeInvalidRequestError> {
  if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) return false;
  logger.warn({ code: error.code, providerRequest: error.requestId }, 'Stripe refused a request');
  return true;
}

/** The outcome of an error after which nothing was charged, or after which that is unknown. */
function unsettled(error: unknown): { outcome: 'not_sent' | 'unknown' } {
  const { errors } = Stripe;
  if (error instanceof errors.StripeRateLimitError) return { outcome: 'not_sent' };
  if (error instanceof errors.StripeConnectionError) return { outcome: neverConnected(error) ? 'not_sent' : 'unknown' };
  if (error instanceof errors.StripeAPIError) return { outcome: 'unknown' };
  // Another request with the same key is running at this moment.
  if (error instanceof errors.StripeIdempotencyError && error.statusCode === 409) return { outcome: 'unknown' };
  throw error;
}

function neverConnected({ detail }: { detail?: unknown }): boolean {
  return [noTurn, 'ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'].includes(
    (detail as { code?: string } | undefined)?.code ?? '',
  );
}

/** Notifications report outcomes that come long after the request: an authentication, a dispute. */
export function notificationOf({ id, type, created, data }: Stripe.Event): ProviderNotification {
  const object = data.object as { id?: string; payment_intent?: string | null; status?: string; actionable?: boolean };
  const reference = object.payment_intent ?? '';
  if (type === 'payment_method.automatically_updated') return cardUpdateOf(id, data.object);
  if (type === 'mandate.updated') return mandateUpdateOf(id, data.object);
  if (type.startsWith('setup_intent.')) return { id, about: 'setup', reference: object.id ?? '' };
  if (type.startsWith('payment_intent.')) return { id, about: 'charge', reference: object.id ?? '' };
  if (isOfRefund(type)) return { id, about: 'refund', reference };
  if (type === 'radar.early_fraud_warning.created')
    return { id, about: object.actionable === false ? 'other' : 'fraud_warning', reference };
  // If an inquiry becomes a dispute, Stripe sends another notification.
  if (!type.startsWith('charge.dispute.') || isInquiry(object)) return { id, about: 'other', reference };
  const dispute = { reference: object.id ?? id, ...disputeOf(object, new Date(created * 1000)) };
  return { id, about: dispute.status === 'won' ? 'dispute_won' : 'disputed', reference, dispute };
}

/** The bank has given the customer another card, and Stripe's card updater has taken it over. */
function cardUpdateOf(id: string, { id: method, customer, card }: Stripe.PaymentMethod): ProviderNotification {
  if (!card || typeof customer !== 'string') return { id, about: 'other', reference: '' };
  return { id, about: 'card', reference: '', card: { token: joinToken(customer, method), ...printedOn(card, method) } };
}

/** The payer, the bank or the merchant has ended the mandate. A new one becomes active at once. */
function mandateUpdateOf(id: string, { status, payment_method: method }: Stripe.Mandate): ProviderNotification {
  if (status !== 'inactive') return { id, about: 'other', reference: '' };
  return { id, about: 'mandate', reference: `/${typeof method === 'string' ? method : method.id}` };
}

/** Refunds by the API, refunds in Stripe's dashboard, and refunds that fail later have different event types. */
function isOfRefund(type: string): boolean {
  return type.startsWith('refund.') || type === 'charge.refunded' || type === 'charge.refund.updated';
}
