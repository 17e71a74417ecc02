import Stripe from 'stripe';
import { AppError } from '../../kit/errors';
import { logger } from '../logger';
import { type ConnectState } from '../../kit/connectStates';
import { connect, type StripeAccess } from './stripeClient';

/**
 * Accounts of merchants below a platform of the operator (Stripe Connect). An account has the full dashboard of Stripe, pays
 * its own fees and answers for its own losses. Stripe's pages ask for what is missing.
 */

export interface ConnectPlatform {
  secretKey: string;
  publishableKey: string;
  /** Signs the notifications about all connected accounts. */
  webhookSecret: string;
}

export interface ConnectedState {
  state: ConnectState;
  /** Stripe's names of what the merchant has to add. */
  missing: string[];
}

/** Opens an account. A repeated key returns the same account. */
export async function createConnectedAccount(
  { secretKey }: ConnectPlatform,
  { key, merchantUuid }: { key: string; merchantUuid: string },
  access: StripeAccess,
): Promise<string> {
  const client = connect(secretKey, access, 'interactive');
  const controller = {
    fees: { payer: 'account' },
    losses: { payments: 'stripe' },
    requirement_collection: 'stripe',
    stripe_dashboard: { type: 'full' },
  } as const;
  const made = await asking(() =>
    client.accounts.create({ controller, metadata: { paywall_merchant: merchantUuid } }, { idempotencyKey: key }),
  );
  return made.id;
}

/** The page at Stripe on which the merchant answers what is missing. It opens once and for some minutes. */
export async function createOnboardingLink(
  { secretKey }: ConnectPlatform,
  { accountId, returnUrl, refreshUrl }: { accountId: string; returnUrl: string; refreshUrl: string },
  access: StripeAccess,
): Promise<string> {
  const client = connect(secretKey, access, 'interactive');
  const link = await asking(() =>
    client.accountLinks.create({
      account: accountId,
      type: 'account_onboarding',
      return_url: returnUrl,
      refresh_url: refreshUrl,
    }),
  );
  return link.url;
}

/** Reads an account. Stripe refuses it to a platform that the merchant has removed. */
export async function readConnectedAccount(
  { secretKey }: ConnectPlatform,
  accountId: string,
  access: StripeAccess,
): Promise<ConnectedState> {
  const client = connect(secretKey, access, 'interactive');
  try {
    return stateOf(await client.accounts.retrieve(accountId));
  } catch (error) {
    if (error instanceof Stripe.errors.StripePermissionError) return { state: 'deauthorized', missing: [] };
    throw unavailable(error);
  }
}

function stateOf({ charges_enabled, details_submitted, requirements }: Stripe.Account): ConnectedState {
  const missing = [...new Set([...(requirements?.currently_due ?? []), ...(requirements?.past_due ?? [])])].sort();
  if (charges_enabled) return { state: 'active', missing };
  return { state: details_submitted ? 'restricted' : 'onboarding', missing };
}

/** A notification of the platform's endpoint, as far as it says whom it concerns. */
export interface ConnectEvent {
  /** `acct_…`; undefined for an event of the platform itself. */
  accountId: string | undefined;
  isLive: boolean;
  /** The account itself has changed, or the merchant has removed the platform. */
  isAboutAccount: boolean;
}

/** Throws `invalid_signature`. */
export function readConnectEvent({ webhookSecret }: ConnectPlatform, body: Buffer, signature: string): ConnectEvent {
  try {
    const { account, livemode, type } = Stripe.webhooks.constructEvent(body, signature, webhookSecret);
    return { accountId: account, isLive: livemode, isAboutAccount: type.startsWith('account.') };
  } catch (error) {
    if (error instanceof Stripe.errors.StripeSignatureVerificationError) throw new AppError('invalid_signature');
    throw error;
  }
}

async function asking<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw unavailable(error);
  }
}

/** Only the operator can correct a refusal of the platform. */
function unavailable(error: unknown): unknown {
  const { StripeAuthenticationError, StripeError, StripeInvalidRequestError, StripePermissionError } = Stripe.errors;
  const refusals = [StripeAuthenticationError, StripeInvalidRequestError, StripePermissionError];
  if (refusals.some((kind) => error instanceof kind)) {
    logger.error({ reason: (error as Error).message }, 'Stripe refuses a request of the Connect platform');
    return new AppError('connect_refused');
  }
  if (error instanceof StripeError)
    return new AppError('service_unavailable', { explain: 'Stripe does not answer', retryAfterSeconds: 5 });
  return error;
}
