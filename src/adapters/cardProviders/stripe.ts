import Stripe from 'stripe';
import { AppError } from '../../kit/errors';
import { type CardProvider, type ChargeResult, type KnownCharge, type ReportedRefund } from './provider';
import { attach, createMethod, forget, invalid, splitToken } from './stripeCards';
import {
  answering,
  answeringRefund,
  isRefused,
  isSettled,
  notificationOf,
  reading,
  refundOf,
  resultOf,
} from './stripeResults';

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

  // Whose customer is forgotten is found by our name for the charge alone: Stripe's search lags by a minute.
  const searchIntent = async (idempotencyKey: string) => {
    const query = `metadata['${chargeName}']:'${idempotencyKey}'`;
    const { data } = await client.paymentIntents.search({ query, limit: 1 });
    return data[0];
  };

  const findIntent = async (idempotencyKey: string, { reference, token }: KnownCharge) => {
    if (reference) return client.paymentIntents.retrieve(reference);
    const { customer } = splitToken(token ?? '');
    if (!isCustomer(customer)) return searchIntent(idempotencyKey);
    const intents = await client.paymentIntents.list({ customer, limit: 100 }).autoPagingToArray({ limit: lookUpMax });
    return intents.find(({ metadata }) => metadata[chargeName] === idempotencyKey);
  };

  return {
    name: 'stripe',
    suffix: 'ST',
    keepsCustomers: true,

    async tokenise(card, owner) {
      if (!settings.acceptsRawCards)
        throw invalid('number', 'The number is not accepted here: send a payment_token from the payment form.');
      const method = await createMethod(client, card);
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

    listRefunds: (chargeReference) =>
      reading(async () => {
        const list = client.refunds.list({ payment_intent: chargeReference, limit: 100 });
        const refunds = await list.autoPagingToArray({ limit: lookUpMax });
        return { outcome: 'known' as const, refunds: refunds.map(reportedOf) };
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

/** Not of a card that an erasure has forgotten. */
const isCustomer = (name: string) => name.startsWith('cus_');

function toStripeAmount(minor: number, currency: string): number {
  return Math.round(minor * (unitsPerMinor[currency] ?? 1));
}

function fromStripeAmount(amount: number, currency: string): number {
  return Math.round(amount / (unitsPerMinor[currency] ?? 1));
}

function reportedOf(refund: Stripe.Refund): ReportedRefund {
  const result = refundOf(refund);
  const idempotencyKey = refund.metadata?.[refundName];
  return {
    reference: refund.id,
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    amountMinor: fromStripeAmount(refund.amount, refund.currency.toUpperCase()),
    ...(result.outcome === 'refused' && { failure: result.message }),
  };
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
