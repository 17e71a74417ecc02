import Stripe from 'stripe';
import { inSpan, providerSpan } from '../../kit/tracing';
import { type Lane, type Pace } from './pace';

/** The pause if Stripe's answer names none. */
const usualPauseSeconds = 1;
/** A longer `Retry-After` is not trusted, because it would stop all payments. */
const longestPauseSeconds = 3_600;

type HttpClient = ReturnType<typeof Stripe.createNodeHttpClient>;

/** Sends each request in its turn. An answer of 429 pauses the requests of all processes for the time that it names. */
export function pacedClient(pace: Pace, lane: Lane): HttpClient {
  const client = Stripe.createNodeHttpClient();
  const send = client.makeRequest.bind(client);
  client.makeRequest = async (...request: Parameters<HttpClient['makeRequest']>) => {
    await pace.takeTurn(lane);
    const response = await inSpan(providerSpan('stripe', request[3]), () => send(...request));
    if (response.getStatusCode() === 429) await hold(pace, response.getHeaders());
    return response;
  };
  return client;
}

async function hold(pace: Pace, headers: Record<string, unknown>): Promise<void> {
  // The limit concerns one object, not the account.
  if (headers['stripe-rate-limited-reason'] === 'resource-specific') return;
  // The caller gets Stripe's answer even if the pause cannot be stored.
  await pace.hold(pauseSeconds(headers['retry-after'])).catch(() => undefined);
}

/** `Retry-After` is a number of seconds or a date. */
export function pauseSeconds(retryAfter: unknown, nowMs = Date.now()): number {
  if (typeof retryAfter !== 'string' || retryAfter.trim() === '') return usualPauseSeconds;
  const seconds = /^\s*\d+\s*$/.test(retryAfter) ? Number(retryAfter) : (Date.parse(retryAfter) - nowMs) / 1000;
  if (Number.isNaN(seconds)) return usualPauseSeconds;
  return Math.min(Math.max(seconds, usualPauseSeconds), longestPauseSeconds);
}
