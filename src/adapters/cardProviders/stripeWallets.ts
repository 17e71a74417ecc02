import type Stripe from 'stripe';
import { type ChargeRequest } from './provider';
import { isWallet } from './redirects';
import { payWith, splitToken } from './stripeTokens';

/** Payments by a wallet that our page opens with Stripe's script. The intent exists before the payer has chosen a card. */

/** The mark of an intent in Stripe's metadata whose payer confirms it with a wallet. */
const pageName = 'paywall_page';

/** What pays for an intent. The payer of a wallet confirms the intent on our page, with Stripe's script. */
export function meansOf({ token, redirect }: ChargeRequest, hasScript: boolean) {
  if (redirect && isWallet(redirect.method)) return {};
  return { ...payWith(splitToken(token).method, hasScript), confirm: true };
}

export const markOf = ({ redirect }: ChargeRequest) =>
  redirect && isWallet(redirect.method) ? { [pageName]: redirect.method } : {};

/** Whether an intent waits for a wallet. After a declined card the payer can choose another one. */
export const awaitsWallet = ({ status, metadata }: Stripe.PaymentIntent) =>
  status === 'requires_payment_method' && metadata[pageName] !== undefined;
