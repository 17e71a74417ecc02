import { fingerprintOf } from '../adapters/sealing';
import { baseUrl } from '../adapters/settings';

/**
 * The secret that cancels a subscription by a link. It differs from the subscription's id, which appears in events,
 * receipts and logs.
 */
export function cancelTokenOf(subscriptionToken: string): string {
  return fingerprintOf('subscription cancel', subscriptionToken).slice(0, 32);
}

/**
 * The address that cancels a subscription. For an app store's subscription, it answers with the URL of the store's own
 * page.
 */
export function unsubscribeUrlOf(subscriptionToken: string, cancelToken: string): string {
  return `${baseUrl}/subscriptions/cancel/${subscriptionToken}.${cancelToken}`;
}

/** The subscription and the secret in the last part of that address. */
export function readUnsubscribeToken(text: string): { id: string; cancelToken: string } {
  const [id = '', cancelToken = ''] = text.split('.');
  return { id, cancelToken };
}
