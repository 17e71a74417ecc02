import Stripe from 'stripe';
import { AppError } from '../../kit/errors';
import { MisconfiguredProvider, type CardDetails, type CardOwner, type CardToken } from './provider';
import { findMisconfiguration } from './stripeResults';
import { isConfirmationToken, joinToken, linkOf, printedOn } from './stripeTokens';

/**
 * Accepts the token of Stripe's form. A confirmation token becomes a payment method when it makes an intent, so it is only
 * read here.
 */
export function adopt(client: Stripe, paymentToken: string, owner?: CardOwner): Promise<CardToken> {
  return isConfirmationToken(paymentToken)
    ? readToken(client, paymentToken, owner)
    : attach(client, paymentToken, owner);
}

async function readToken(client: Stripe, id: string, owner?: CardOwner): Promise<CardToken> {
  const { payment_method_preview, ...token } = await asking(
    () => client.confirmationTokens.retrieve(id),
    ({ code }) => code === 'resource_missing',
  );
  if (token.payment_intent !== null || token.setup_intent !== null) throw invalid('payment_token', usedToken);
  if (token.expires_at !== null && token.expires_at * 1000 <= Date.now()) throw invalid('payment_token', expiredToken);
  const { card, link, billing_details: holder } = payment_method_preview ?? {};
  const holderName = holder?.name ?? '';
  if (!card && !link) throw invalid('payment_token', notACard);
  const customer = owner?.customer ?? (await createCustomer(client, owner?.accountUuid));
  if (!card) return { ...linkOf(customer, id, link ?? {}), holderName, isSingleUse: true };
  const fingerprint = card.fingerprint ?? id;
  return {
    token: joinToken(customer, id),
    ...printedOn({ ...card, fingerprint }, id),
    holderName,
    isSingleUse: true,
  };
}

const notACard = 'The payment_token must be of a card or of Link.';
const usedToken = 'The payment_token has been used. Enter the card again.';
const expiredToken = 'The payment_token has expired. Enter the card again.';

/** Attaches a card to its owner's customer, so that it can be charged while the owner is away. */
export async function attach(client: Stripe, methodId: string, owner?: CardOwner, holderName = ''): Promise<CardToken> {
  const customer = owner?.customer ?? (await createCustomer(client, owner?.accountUuid));
  const method = await asking(
    () => client.paymentMethods.attach(methodId, { customer }),
    ({ param }) => param !== 'customer',
  );
  const holder = { holderName: method.billing_details.name ?? holderName };
  if (method.link) return { ...linkOf(customer, method.id, method.link), ...holder };
  if (!method.card) throw invalid('payment_token', notACard);
  return { token: joinToken(customer, method.id), ...printedOn(method.card, method.id), ...holder };
}

/** The idempotency key names the account, so that concurrent and repeated requests create one customer. */
export async function createCustomer(client: Stripe, accountUuid?: string): Promise<string> {
  const create =
    accountUuid === undefined
      ? () => client.customers.create()
      : () =>
          client.customers.create(
            { metadata: { paywall_account: accountUuid } },
            { idempotencyKey: `customer:${accountUuid}` },
          );
  return (await asking(create)).id;
}

/** Creates a payment method from a card number. */
export function createMethod(client: Stripe, card: CardDetails): Promise<Stripe.PaymentMethod> {
  return asking(() => client.paymentMethods.create(methodOf(card)));
}

function methodOf(card: CardDetails): Stripe.PaymentMethodCreateParams {
  return {
    type: 'card',
    card: { number: card.number, exp_month: card.expiryMonth, exp_year: card.expiryYear, cvc: card.securityCode },
    billing_details: { name: card.holderName },
  };
}

/** Deletes a customer; Stripe deletes the cards with it. A missing customer counts as deleted. */
export async function forget(client: Stripe, customer: string): Promise<void> {
  try {
    await client.customers.del(customer);
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeInvalidRequestError) || error.statusCode !== 404) throw error;
  }
}

const fieldOfParameter: Readonly<Record<string, string>> = {
  number: 'number',
  exp_month: 'exp_month',
  exp_year: 'exp_year',
  cvc: 'cvv',
};

/**
 * Runs a request about a card. A card that Stripe refuses becomes `invalid_input` with the name of the field, and so does a
 * refusal of a parameter in `fields`. An outage of Stripe becomes `service_unavailable`. Any other refusal is for the operator
 * or the merchant to correct.
 */
export async function asking<T>(
  ask: () => Promise<T>,
  isRefusalOfToken = (_error: { param?: string; code?: string }) => false,
  fields: Readonly<Record<string, string>> = {},
): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const { StripeCardError, StripeInvalidRequestError } = Stripe.errors;
    if (error instanceof StripeCardError) throw invalid(fieldOfParameter[error.param ?? ''] ?? 'number', error.message);
    if (error instanceof StripeInvalidRequestError && isRefusalOfToken(error))
      throw invalid('payment_token', unknownToken);
    const field = error instanceof StripeInvalidRequestError ? fields[error.param ?? ''] : undefined;
    if (field !== undefined) throw invalid(field, (error as Error).message);
    // Another request is creating the same customer at this moment.
    const isInProgress = error instanceof Stripe.errors.StripeIdempotencyError && error.statusCode === 409;
    if (isAway(error) || isInProgress)
      throw new AppError('service_unavailable', { explain: 'Payment provider unavailable', retryAfterSeconds: 5 });
    const misconfigured = findMisconfiguration(error);
    throw misconfigured ? new MisconfiguredProvider(misconfigured.fault) : error;
  }
}

const unknownToken = 'The payment_token is not known to the payment account of this shop. Enter the card again.';

const { StripeConnectionError, StripeAPIError, StripeRateLimitError } = Stripe.errors;
const isAway = (error: unknown): boolean =>
  [StripeConnectionError, StripeAPIError, StripeRateLimitError].some((kind) => error instanceof kind);

export function invalid(field: string, text: string): AppError {
  return new AppError('invalid_input', { errors: { [field]: text } });
}
