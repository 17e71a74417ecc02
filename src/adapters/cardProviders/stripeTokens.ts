import type Stripe from 'stripe';
import { type UpdatedCard } from './notifications';

/** `cus_…/pm_…`: Stripe charges a method of a customer. */
export const joinToken = (customer: string, method: string) => `${customer}/${method}`;

export function splitToken(token: string): { customer: string; method: string } {
  const [customer = '', method = ''] = token.split('/');
  return { customer, method };
}

/** What identifies a card for its holder. */
export function printedOn(card: Stripe.PaymentMethod.Card, methodId: string): Omit<UpdatedCard, 'token'> {
  return {
    lastFour: card.last4,
    brand: card.brand,
    expiryMonth: card.exp_month,
    expiryYear: card.exp_year,
    fingerprint: card.fingerprint ?? methodId,
  };
}
