import Stripe from 'stripe';
import { AppError } from '../../kit/errors';
import { type KnownCharge } from './knownCharges';
import { type CardProvider, type ChargeRequest, type ChargeResult } from './provider';
import { type ReportedRefund } from './refunds';
import { fromStripeAmount, toStripeAmount } from './stripeAmounts';
import { listStripeBalance, readStripeDispute } from './stripeBalances';
import { adopt, attach, createCustomer, createMethod, forget, invalid } from './stripeCards';
import { connect, type StripeAccess } from './stripeClient';
import { createDebits, sepaDebit } from './stripeDebits';
import { submitEvidence } from './stripeDisputes';
import { createRedirects, expandedCharge, lacksMandate, paidOnPage } from './stripeRedirects';
import { stripeForm } from './stripeForm';
import {
  answeringCharge,
  answeringRefund,
  awaitsPayer,
  isAtBank,
  isRefused,
  isSettled,
  notificationOf,
  reading,
  refundOf,
  resultOf,
} from './stripeResults';
import { createSetups } from './stripeSetups';
import { createTaxes } from './stripeTaxes';
import { isConfirmationToken, splitToken, typesOf } from './stripeTokens';
import { awaitsWallet, markOf, meansOf } from './stripeWallets';

/** `timeoutMs` is shorter than that of the activity: a silent provider is the outcome `unknown` and causes no retry. */
export interface StripeSettings extends StripeAccess {
  /** The name of the account in the database. The installation's own account is `stripe`. */
  name?: string;
  secretKey: string;
  /** For the form in our pages. Absent: the pages have no form. */
  publishableKey?: string | undefined;
  /** Verifies Stripe's notifications. */
  webhookSecret: string;
  /** The page to which a bank returns a payer, if the purchase names none. */
  returnUrl: string;
  /** The API accepts card numbers, and the pages do not. Only for operators certified for it (PCI DSS SAQ D). */
  acceptsRawCards: boolean;
}

/** Our charge's key in Stripe's metadata. A look-up searches the customer's charges for it, newest first. */
const chargeName = 'paywall_charge';
/** The ids of the payer and the merchant in Stripe's metadata. */
const merchantName = 'paywall_merchant';
const accountName = 'paywall_account';
const lookUpMax = 1_000;
/** A request that timed out may still arrive within this time. Until then a missing charge may still be made. */
const onItsWayMs = 60_000;
const refundName = 'paywall_refund';

/** Cards through Stripe's Payment Intents. One attempt per call: the workflows retry. */
export function createStripe(settings: StripeSettings): CardProvider {
  const client = connect(settings.secretKey, settings, 'interactive');
  const inBackground = connect(settings.secretKey, settings, 'background');

  const { publishableKey: key, acceptsRawCards } = settings;
  const form = key === undefined ? undefined : stripeForm(key, settings.stripeAccount);

  // After an erasure the customer is unknown, so the charge is searched by our key. Stripe's search lags by a minute.
  const searchIntent = async (idempotencyKey: string) => {
    const query = `metadata['${chargeName}']:'${idempotencyKey}'`;
    const { data } = await inBackground.paymentIntents.search({ query, limit: 1 });
    return data[0];
  };

  const clientFor = ({ isInteractive = false }: KnownCharge) => (isInteractive ? client : inBackground);

  const findIntent = async (idempotencyKey: string, known: KnownCharge) => {
    const { reference, token } = known;
    const { paymentIntents } = clientFor(known);
    if (reference) return paymentIntents.retrieve(reference, expandedCharge);
    const { customer } = splitToken(token ?? '');
    if (!isCustomer(customer)) return searchIntent(idempotencyKey);
    const intents = await paymentIntents.list({ customer, limit: 100 }).autoPagingToArray({ limit: lookUpMax });
    const found = intents.find(({ metadata }) => metadata[chargeName] === idempotencyKey);
    return found && lacksMandate(found) ? paymentIntents.retrieve(found.id, expandedCharge) : found;
  };

  return {
    name: settings.name ?? 'stripe',
    suffix: 'ST',
    ...(form && { paymentForm: form }),
    ...(settings.stripeAccount !== undefined && { isOfPlatform: true }),
    createCustomer: (accountUuid) => createCustomer(client, accountUuid),

    async tokenise(card, owner) {
      if (!acceptsRawCards)
        throw invalid('number', 'The number is not accepted here: send a payment_token from the payment form.');
      const method = await createMethod(client, card);
      return attach(client, method.id, owner, card.holderName);
    },

    debits: createDebits(client),
    redirects: createRedirects(client, form !== undefined),
    taxes: createTaxes(client, inBackground),

    adoptToken: (paymentToken, owner) => adopt(client, paymentToken, owner),

    ...createSetups(client, { returnUrl: settings.returnUrl, hasScript: form !== undefined }),

    async charge(request) {
      const { customer } = splitToken(request.token);
      const intent: Stripe.PaymentIntentCreateParams = {
        amount: toStripeAmount(request.amountMinor, request.currency),
        currency: request.currency.toLowerCase(),
        customer,
        ...meansOf(request, form !== undefined),
        description: request.description,
        ...feeOf(request),
        metadata: { [chargeName]: request.idempotencyKey, ...ownersOf(request), ...markOf(request) },
        ...presenceOf(request, settings.returnUrl),
      };
      const { paymentIntents } = clientFor({ isInteractive: !request.isOffSession });
      const create = () => paymentIntents.create(intent, { idempotencyKey: keyOf(request) });
      return answeringCharge(create, request);
    },

    lookUpCharge: (idempotencyKey, known = {}) =>
      reading(async () => {
        const intent = await findIntent(idempotencyKey, known);
        return intent ? resultOf(intent, known) : absent(known);
      }),

    confirmCharge: (_idempotencyKey, { reference, token, returnUrl = settings.returnUrl }) =>
      answeringCharge(async () => {
        const intent = await client.paymentIntents.retrieve(reference, expandedCharge);
        if (!awaitsPayer(intent) || awaitsWallet(intent)) return intent;
        return confirm(client, reference, { payment_method: splitToken(token).method, return_url: returnUrl });
      }),

    voidCharge: (idempotencyKey, known = {}) =>
      reading(async () => {
        const intent = await findIntent(idempotencyKey, known);
        if (!intent) return absent(known);
        return isSettled(intent) ? resultOf(intent, known) : cancel(clientFor(known), intent.id);
      }),

    refund: (request) =>
      answeringRefund(async () => {
        const refund: Stripe.RefundCreateParams = {
          payment_intent: request.chargeReference,
          amount: toStripeAmount(request.amountMinor, request.currency),
          metadata: { [refundName]: request.idempotencyKey },
          ...(request.returnsFee === true && { refund_application_fee: true }),
        };
        return refundOf(await client.refunds.create(refund, { idempotencyKey: request.idempotencyKey }));
      }),

    lookUpRefund: ({ chargeReference, idempotencyKey, reference }) =>
      reading(async () => {
        if (reference) return refundOf(await client.refunds.retrieve(reference));
        const { data } = await client.refunds.list({ payment_intent: chargeReference, limit: 100 });
        const refund = data.find(({ metadata }) => metadata?.[refundName] === idempotencyKey);
        return refund ? refundOf(refund) : { outcome: 'not_sent' };
      }),

    async *listPayments(since) {
      const gte = Math.floor(since.getTime() / 1000);
      for await (const intent of inBackground.paymentIntents.list({ created: { gte }, limit: 100 })) {
        const idempotencyKey = intent.metadata[chargeName];
        if (idempotencyKey === undefined || intent.status !== 'succeeded') continue;
        const currency = intent.currency.toUpperCase();
        const amountMinor = fromStripeAmount(intent.amount, currency);
        const paidAt = new Date(intent.created * 1000);
        yield { idempotencyKey, reference: intent.id, amountMinor, currency, paidAt, ...readOwners(intent.metadata) };
      }
    },

    async *listRefunded(since) {
      const gte = Math.floor(since.getTime() / 1000);
      for await (const { payment_intent: intent } of inBackground.refunds.list({ created: { gte }, limit: 100 }))
        if (intent !== null) yield typeof intent === 'string' ? intent : intent.id;
    },

    listRefunds: (chargeReference) =>
      reading(async () => {
        const list = inBackground.refunds.list({ payment_intent: chargeReference, limit: 100 });
        const refunds = await list.autoPagingToArray({ limit: lookUpMax });
        return { outcome: 'known' as const, refunds: refunds.map(reportedOf) };
      }),

    async forgetCustomer(tokens, customer) {
      const customers = new Set(tokens.map((token) => splitToken(token).customer));
      if (customer !== undefined) customers.add(customer);
      for (const each of customers) await forget(inBackground, each);
    },

    listBalance: (since) => listStripeBalance(inBackground, since, chargeName),

    async readDispute(reference) {
      const read = await reading(() => readStripeDispute(inBackground, reference));
      return 'outcome' in read ? undefined : read;
    },

    submitEvidence: (reference, evidence) => submitEvidence(client, reference, evidence),

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

/** A debit and an agreement need no payer, because the payer has accepted before. The payer of a card may have to authenticate the charge. */
function presenceOf(request: ChargeRequest, usualReturnUrl: string) {
  const { token, isDebit, agreement, redirect, isOffSession, returnUrl } = request;
  if (redirect) return paidOnPage(redirect, returnUrl ?? usualReturnUrl);
  if (isDebit) return { allowed_payment_method_types: [sepaDebit], off_session: true };
  if (agreement) return { allowed_payment_method_types: [agreement], off_session: true };
  const { isLink, method } = splitToken(token);
  const allowed_payment_method_types = typesOf({ isLink });
  // A customer agrees to later charges when the form saves Link.
  const isSavedLink = isLink && !isConfirmationToken(method);
  if (isOffSession || isSavedLink) return { allowed_payment_method_types, off_session: true };
  return {
    allowed_payment_method_types,
    setup_future_usage: 'off_session' as const,
    return_url: returnUrl ?? usualReturnUrl,
  };
}

/** Stripe repeats a refusal under the same key for a day, even after its reason is corrected. So each try has its own key. */
const keyOf = ({ idempotencyKey, refusalNo = 0 }: ChargeRequest) =>
  refusalNo === 0 ? idempotencyKey : `${idempotencyKey}:again:${refusalNo}`;

/** Stripe refuses a fee of 0. */
function feeOf({ applicationFeeMinor = 0, currency }: ChargeRequest): { application_fee_amount?: number } {
  return applicationFeeMinor > 0 ? { application_fee_amount: toStripeAmount(applicationFeeMinor, currency) } : {};
}

function ownersOf({ paidTo }: ChargeRequest): Stripe.MetadataParam {
  return paidTo ? { [merchantName]: String(paidTo.merchantId), [accountName]: String(paidTo.accountId) } : {};
}

function readOwners(metadata: Stripe.Metadata): { merchantId?: number; accountId?: number } {
  const merchantId = Number(metadata[merchantName]);
  const accountId = Number(metadata[accountName]);
  return Number.isSafeInteger(merchantId) && Number.isSafeInteger(accountId) ? { merchantId, accountId } : {};
}

/** False for the card of an erased account. */
const isCustomer = (name: string) => name.startsWith('cus_');

function reportedOf(refund: Stripe.Refund): ReportedRefund {
  const result = refundOf(refund);
  const idempotencyKey = refund.metadata?.[refundName];
  return {
    reference: refund.id,
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    amountMinor: fromStripeAmount(refund.amount, refund.currency.toUpperCase()),
    ...(result.outcome === 'refused' && { failure: result.message }),
    ...(result.outcome === 'pending' && { isPending: true }),
  };
}

/** If another request has confirmed or cancelled the intent meanwhile, what became of it is returned. */
async function confirm(client: Stripe, id: string, by: Stripe.PaymentIntentConfirmParams) {
  try {
    return await client.paymentIntents.confirm(id, by);
  } catch (error) {
    if (!isRefused(error)) throw error;
    return client.paymentIntents.retrieve(id);
  }
}

/** If the payer has paid before the cancellation, the charge stays paid. */
async function cancel(client: Stripe, id: string): Promise<ChargeResult> {
  try {
    return resultOf(await client.paymentIntents.cancel(id, { cancellation_reason: 'abandoned' }));
  } catch (error) {
    if (!isRefused(error)) throw error;
    const intent = await client.paymentIntents.retrieve(id, expandedCharge);
    return isSettled(intent) || isAtBank(intent) ? resultOf(intent) : { outcome: 'unknown' };
  }
}

function absent({ openedAt }: KnownCharge): { outcome: 'not_sent' | 'unknown' } {
  const isOnItsWay = openedAt !== undefined && Date.now() - openedAt.getTime() < onItsWayMs;
  return { outcome: isOnItsWay ? 'unknown' : 'not_sent' };
}
