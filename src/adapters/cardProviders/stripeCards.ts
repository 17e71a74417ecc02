import Stripe from 'stripe';
import { AppError } from '../../kit/errors';
import { type CardDetails, type CardOwner, type CardToken } from './provider';

/** A card that may be charged while its owner is away: attached to the one customer that its owner is. */
export async function attach(client: Stripe, methodId: string, owner?: CardOwner, holderName = ''): Promise<CardToken> {
  const customer = owner?.knownToken
    ? splitToken(owner.knownToken).customer
    : (await asking(() => client.customers.create(owner && { metadata: { paywall_account: owner.accountUuid } }))).id;
  const method = await asking(() => client.paymentMethods.attach(methodId, { customer }));
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

/** A method of a card whose number we were given. */
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

/** With a customer Stripe deletes its cards. One that is gone already is as good as deleted. */
export async function forget(client: Stripe, customer: string): Promise<void> {
  try {
    await client.customers.del(customer);
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeInvalidRequestError) || error.statusCode !== 404) throw error;
  }
}

/** `cus_…/pm_…`: Stripe charges a method of a customer. */
export function splitToken(token: string): { customer: string; method: string } {
  const [customer = '', method = ''] = token.split('/');
  return { customer, method };
}

const fieldOfParameter: Readonly<Record<string, string>> = {
  number: 'number',
  exp_month: 'exp_month',
  exp_year: 'exp_year',
  cvc: 'cvv',
};

/** A card that Stripe does not take is the client's mistake: the field is named. That Stripe is away is nobody's. */
async function asking<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const { StripeCardError, StripeInvalidRequestError } = Stripe.errors;
    if (error instanceof StripeCardError) throw invalid(fieldOfParameter[error.param ?? ''] ?? 'number', error.message);
    if (error instanceof StripeInvalidRequestError)
      throw invalid('payment_token', 'The payment_token is not one of a card.');
    if (isAway(error))
      throw new AppError('service_unavailable', { explain: 'Payment provider unavailable', retryAfterSeconds: 5 });
    throw error;
  }
}

const { StripeConnectionError, StripeAPIError, StripeRateLimitError } = Stripe.errors;
const isAway = (error: unknown): boolean =>
  [StripeConnectionError, StripeAPIError, StripeRateLimitError].some((kind) => error instanceof kind);

export function invalid(field: string, text: string): AppError {
  return new AppError('invalid_input', { errors: { [field]: text } });
}
