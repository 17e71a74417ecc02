import Stripe from 'stripe';
import { type Lane, type Pace } from './pace';
import { pacedClient } from './stripePace';

/** How this installation reaches Stripe. */
export interface StripeAccess {
  /** Another address of Stripe's API, without a path; for tests. */
  apiBase: string | undefined;
  timeoutMs: number;
  /** The connected account on whose behalf a platform sends its requests (Stripe Connect). */
  stripeAccount?: string;
  /** Stripe's rate limit, shared by all processes. Absent: requests are not limited. */
  pace?: Pace;
}

/** A client for the account of a key. The workflows retry, not the client. */
export function connect(key: string, { apiBase, timeoutMs, pace, stripeAccount }: StripeAccess, lane: Lane): Stripe {
  const address = apiBase === undefined ? undefined : new URL(apiBase);
  return new Stripe(key, {
    maxNetworkRetries: 0,
    timeout: timeoutMs,
    telemetry: false,
    ...(stripeAccount !== undefined && { stripeAccount }),
    ...(pace && { httpClient: pacedClient(pace, lane) }),
    ...(address && {
      host: address.hostname,
      protocol: address.protocol === 'http:' ? 'http' : 'https',
      ...(address.port !== '' && { port: address.port }),
    }),
  });
}
