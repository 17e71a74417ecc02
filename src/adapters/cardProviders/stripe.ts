import Stripe from 'stripe';
import { AppError } from '../../kit/errors';
import { logger } from '../logger';
import {
  type CardDetails,
  type CardOwner,
  type CardProvider,
  type CardToken,
  type ChargeResult,
  type DeclineReason,
  type KnownCharge,
  type ProviderNotification,
  type RefundResult,
} from './provider';

export interface StripeSettings {
  secretKey: string;
  /** Signs what Stripe tells us. */
  webhookSecret: string;
  /** Where the API is, without a path; for tests. */
  apiBase: string | undefined;
  /** Where a bank sends a payer back to, when the purchase names no page. */
  returnUrl: string;
  /** Card numbers may pass through this service: only for who is certified for it (PCI DSS SAQ D). */
  acceptsRawCards: boolean;
  /** Shorter than the activity that waits for it, so that a silent provider is `unknown` and not a retry. */
  timeoutMs: number;
}

/** Names our charge in Stripe's metadata: a look-up finds it by that among its customer's, newest first. */
const chargeName = 'paywall_charge';
const lookUpMax = 1_000;
/** A request that timed out may still be on its way: until then what is not there is not yet known not to come. */
const onItsWayMs = 60_000;
const refundName = 'paywall_refund';

/** Stripe's unit in ours, where its decimals are not ISO's (docs.stripe.com/currencies). */
const unitsPerMinor: Readonly<Record<string, number>> = { ISK: 100, UGX: 100, MGA: 1 / 100 };

/** Cards through Stripe's Payment Intents, by the official library. One try a call: the workflows retry. */
export function createStripe(settings: StripeSettings): CardProvider {
  const client = connect(settings);

  const findIntent = async (idempotencyKey: string, { reference, token }: KnownCharge) => {
    if (reference) return client.paymentIntents.retrieve(reference);
    const list = client.paymentIntents.list({ customer: splitToken(token ?? '').customer, limit: 100 });
    const intents = await list.autoPagingToArray({ limit: lookUpMax });
    return intents.find(({ metadata }) => metadata[chargeName] === idempotencyKey);
  };

  return {
    name: 'stripe',
    suffix: 'ST',

    async tokenise(card, owner) {
      if (!settings.acceptsRawCards)
        throw invalid('number', 'The number is not accepted here: send a payment_token from the payment form.');
      const method = await refusingBadCard(() => client.paymentMethods.create(methodOf(card)));
      return attach(client, method.id, owner, card.holderName);
    },

    adoptToken: (paymentToken, owner) => attach(client, paymentToken, owner),

    async charge(request) {
      const { customer, method } = splitToken(request.token);
      const intent: Stripe.PaymentIntentCreateParams = {
        amount: toStripeAmount(request.amountMinor, request.currency),
        currency: request.currency.toLowerCase(),
        customer,
        payment_method: method,
        allowed_payment_method_types: ['card'],
        confirm: true,
        description: request.description,
        metadata: { [chargeName]: request.idempotencyKey },
        ...(request.isRenewal ? { off_session: true } : { setup_future_usage: 'off_session' }),
        ...(!request.isRenewal && { return_url: request.returnUrl ?? settings.returnUrl }),
      };
      return answering(async () =>
        resultOf(await client.paymentIntents.create(intent, { idempotencyKey: request.idempotencyKey })),
      );
    },

    lookUpCharge: (idempotencyKey, known = {}) =>
      reading(async () => {
        const intent = await findIntent(idempotencyKey, known);
        return intent ? resultOf(intent) : absent(known);
      }),

    voidCharge: (idempotencyKey, known = {}) =>
      reading(async () => {
        const intent = await findIntent(idempotencyKey, known);
        if (!intent) return absent(known);
        return isSettled(intent) ? resultOf(intent) : cancel(client, intent.id);
      }),

    refund: (request) =>
      answeringRefund(async () => {
        const refund: Stripe.RefundCreateParams = {
          payment_intent: request.chargeReference,
          amount: toStripeAmount(request.amountMinor, request.currency),
          metadata: { [refundName]: request.idempotencyKey },
        };
        return refundOf(await client.refunds.create(refund, { idempotencyKey: request.idempotencyKey }));
      }),

    lookUpRefund: ({ chargeReference, idempotencyKey }) =>
      reading(async () => {
        const { data } = await client.refunds.list({ payment_intent: chargeReference, limit: 100 });
        const refund = data.find(({ metadata }) => metadata?.[refundName] === idempotencyKey);
        return refund ? refundOf(refund) : { outcome: 'not_sent' };
      }),

    async forgetCustomer(tokens) {
      const customers = new Set(tokens.map((token) => splitToken(token).customer));
      for (const customer of customers) await forget(client, customer);
    },

    readNotification(body, signature) {
      try {
        return notificationOf(client.webhooks.constructEvent(body, signature, settings.webhookSecret));
      } catch (error) {
        if (error instanceof Stripe.errors.StripeSignatureVerificationError) throw new AppError('invalid_signature');
        throw error;
      }
    },
  };
}

function connect({ secretKey, apiBase, timeoutMs }: StripeSettings): Stripe {
  const address = apiBase === undefined ? undefined : new URL(apiBase);
  return new Stripe(secretKey, {
    maxNetworkRetries: 0,
    timeout: timeoutMs,
    telemetry: false,
    ...(address && {
      host: address.hostname,
      protocol: address.protocol === 'http:' ? 'http' : 'https',
      ...(address.port !== '' && { port: address.port }),
    }),
  });
}

/** With a customer Stripe deletes its cards. One that is gone already is as good as deleted. */
async function forget(client: Stripe, customer: string): Promise<void> {
  try {
    await client.customers.del(customer);
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeInvalidRequestError) || error.statusCode !== 404) throw error;
  }
}

/** A card that may be charged while its owner is away: attached to the one customer that its owner is. */
async function attach(client: Stripe, methodId: string, owner?: CardOwner, holderName = ''): Promise<CardToken> {
  const customer = owner?.knownToken
    ? splitToken(owner.knownToken).customer
    : (await client.customers.create(owner && { metadata: { paywall_account: owner.accountUuid } })).id;
  const method = await refusingBadCard(() => client.paymentMethods.attach(methodId, { customer }));
  if (!method.card) throw invalid('payment_token', 'The payment_token must be of a card.');
  return {
    token: `${customer}/${method.id}`,
    lastFour: method.card.last4,
    brand: method.card.brand,
    holderName: method.billing_details.name ?? holderName,
    expiryMonth: method.card.exp_month,
    expiryYear: method.card.exp_year,
    fingerprint: method.card.fingerprint ?? method.id,
  };
}

function methodOf(card: CardDetails): Stripe.PaymentMethodCreateParams {
  return {
    type: 'card',
    card: { number: card.number, exp_month: card.expiryMonth, exp_year: card.expiryYear, cvc: card.securityCode },
    billing_details: { name: card.holderName },
  };
}

/** `cus_…/pm_…`: Stripe charges a method of a customer. */
function splitToken(token: string): { customer: string; method: string } {
  const [customer = '', method = ''] = token.split('/');
  return { customer, method };
}

function toStripeAmount(minor: number, currency: string): number {
  return Math.round(minor * (unitsPerMinor[currency] ?? 1));
}

const settledStatuses: readonly string[] = ['succeeded', 'canceled'];
const isSettled = (intent: Stripe.PaymentIntent) => settledStatuses.includes(intent.status);

function resultOf(intent: Stripe.PaymentIntent): ChargeResult {
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

/** The payer may have been faster: then it is paid, and stays so. */
async function cancel(client: Stripe, id: string): Promise<ChargeResult> {
  try {
    return resultOf(await client.paymentIntents.cancel(id, { cancellation_reason: 'abandoned' }));
  } catch (error) {
    if (!isRefused(error)) throw error;
    const intent = await client.paymentIntents.retrieve(id);
    return isSettled(intent) ? resultOf(intent) : { outcome: 'unknown' };
  }
}

function absent({ openedAt }: KnownCharge): { outcome: 'not_sent' | 'unknown' } {
  const isOnItsWay = openedAt !== undefined && Date.now() - openedAt.getTime() < onItsWayMs;
  return { outcome: isOnItsWay ? 'unknown' : 'not_sent' };
}

/** Of a question that was not answered nothing follows: neither that there was no charge, nor that it was declined. */
async function reading<Result>(ask: () => Promise<Result>): Promise<Result | { outcome: 'unknown' }> {
  try {
    return await ask();
  } catch (error) {
    const { StripeError, StripeAuthenticationError, StripePermissionError } = Stripe.errors;
    const isOurs = error instanceof StripeAuthenticationError || error instanceof StripePermissionError;
    if (isOurs || !(error instanceof StripeError)) throw error;
    return { outcome: 'unknown' };
  }
}

/** What Stripe says with an error, as a result. What only a person can mend (a wrong key) is thrown. */
async function answering(ask: () => Promise<ChargeResult>): Promise<ChargeResult> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof Stripe.errors.StripeCardError) return declineOf(error);
    if (isRefused(error)) return declined('hard', 'declined', 'Your card cannot be charged.');
    return unsettled(error);
  }
}

async function answeringRefund(ask: () => Promise<RefundResult>): Promise<RefundResult> {
  try {
    return await ask();
  } catch (error) {
    if (isRefused(error)) return { outcome: 'refused', message: error.message };
    return unsettled(error);
  }
}

function refundOf({ status, id, failure_reason }: Stripe.Refund): RefundResult {
  if (status !== 'failed' && status !== 'canceled') return { outcome: 'refunded', reference: id };
  return { outcome: 'refused', message: `The card's bank did not take the refund: ${failure_reason ?? status}.` };
}

/** A charge's outcome may also come long after its request: a payer who authenticates, a bank that disputes. */
function notificationOf({ id, type, created, data }: Stripe.Event): ProviderNotification {
  const object = data.object as { id?: string; payment_intent?: string | null; status?: string };
  const reference = object.payment_intent ?? '';
  if (type.startsWith('payment_intent.')) return { id, about: 'charge', reference: object.id ?? '' };
  const { status = '' } = object;
  // An inquiry takes no money: it may become a dispute, which is told again.
  if (!type.startsWith('charge.dispute.') || status.startsWith('warning_')) return { id, about: 'other', reference };
  const dispute = { id: object.id ?? id, at: new Date(created * 1000) };
  return { id, about: status === 'won' ? 'dispute_won' : 'disputed', reference, dispute };
}

function isRefused(error: unknown): error is InstanceType<typeof Stripe.errors.StripeInvalidRequestError> {
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

const fieldOfParameter: Readonly<Record<string, string>> = {
  number: 'number',
  exp_month: 'exp_month',
  exp_year: 'exp_year',
  cvc: 'cvv',
};

/** A card that Stripe does not take is the client's mistake: the field is named. */
async function refusingBadCard<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const { StripeCardError, StripeInvalidRequestError } = Stripe.errors;
    if (error instanceof StripeCardError) throw invalid(fieldOfParameter[error.param ?? ''] ?? 'number', error.message);
    if (error instanceof StripeInvalidRequestError)
      throw invalid('payment_token', 'The payment_token is not one of a card.');
    throw error;
  }
}

function invalid(field: string, text: string): AppError {
  return new AppError('invalid_input', { errors: { [field]: text } });
}
