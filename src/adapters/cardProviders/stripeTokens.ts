import { createHash } from 'node:crypto';
import type Stripe from 'stripe';
import { type UpdatedCard } from './notifications';
import { agreementMethods } from './redirects';

/** `cus_…/pm_…`: Stripe charges a method of a customer. `link:` before it: the method is Link, and not a card. */
export const joinToken = (customer: string, method: string, isLink = false) =>
  `${isLink ? linkMark : ''}${customer}/${method}`;

const linkMark = 'link:';

export function splitToken(token: string): { customer: string; method: string; isLink: boolean } {
  const isLink = token.startsWith(linkMark);
  const [customer = '', method = ''] = token.slice(isLink ? linkMark.length : 0).split('/');
  return { customer, method, isLink };
}

/** The type of the method behind a token, which an intent must allow. */
export const typesOf = ({ isLink }: { isLink: boolean }): ('card' | 'link')[] => [isLink ? 'link' : 'card'];

/** A confirmation token of Stripe's form makes one intent, within 15 minutes. A payment method can be used again. */
export const isConfirmationToken = (method: string) => method.startsWith('ctoken_');

type PaidWith = { confirmation_token: string; use_stripe_sdk: boolean } | { payment_method: string };

/**
 * How an intent names the card of a token. `hasScript`: our pages have Stripe's script, which lets the payer of a confirmation
 * token authenticate. Every other payer is sent to a page of the bank.
 */
export function payWith(method: string, hasScript: boolean): PaidWith {
  if (!isConfirmationToken(method)) return { payment_method: method };
  return { confirmation_token: method, use_stripe_sdk: hasScript };
}

/** The token of the card that an intent was made with; undefined if the intent has none. */
export function cardTokenOf({
  customer,
  payment_method,
  payment_method_types: types,
}: Stripe.PaymentIntent | Stripe.SetupIntent): string | undefined {
  const [owner, method] = [idOf(customer), idOf(payment_method)];
  return owner !== undefined && method !== undefined ? joinToken(owner, method, types.includes('link')) : undefined;
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

/**
 * Link shows no number and no expiry date: its holder manages the cards behind it at Stripe. The same holder has the same
 * email.
 */
export function linkOf(customer: string, methodId: string, { email }: { email?: string | null }) {
  const token = joinToken(customer, methodId, true);
  const fingerprint = email ? createHash('sha256').update(email.toLowerCase()).digest('hex') : methodId;
  const printed = { lastFour: '', brand: 'link', expiryMonth: null, expiryYear: null, fingerprint };
  return { method: 'link', token, ...printed } as const;
}

/** The mandate or the agreement that a payment on a page has made. */
export function savedMandateOf(intent: Stripe.PaymentIntent): { cardToken: string; lastFour?: string } | undefined {
  const { customer, latest_charge: charge } = intent;
  const agreement = agreementOf(intent);
  if (agreement !== undefined) return { cardToken: agreement };
  const details = typeof charge === 'string' ? undefined : charge?.payment_method_details;
  return mandateBehind(customer, details?.ideal ?? details?.bancontact);
}

/** What a set-up has saved: a card, an agreement, or the mandate of the bank account behind a page. */
export function savedBySetup(intent: Stripe.SetupIntent): { cardToken: string; lastFour?: string } | undefined {
  const { customer, latest_attempt: attempt, payment_method_types: types } = intent;
  if (!types.includes('ideal') && !types.includes('bancontact')) {
    const cardToken = cardTokenOf(intent);
    return cardToken === undefined ? undefined : { cardToken };
  }
  const details = typeof attempt === 'string' ? undefined : attempt?.payment_method_details;
  return mandateBehind(customer, details?.ideal ?? details?.bancontact);
}

interface BankPage {
  generated_sepa_debit: string | Stripe.PaymentMethod | null;
  iban_last4: string | null;
}

/** The SEPA mandate that Stripe has made of the payer's bank account. */
function mandateBehind(customer: Stripe.SetupIntent['customer'], bank: BankPage | undefined) {
  const [owner, method] = [idOf(customer), idOf(bank?.generated_sepa_debit)];
  if (method === undefined || owner === undefined) return undefined;
  return { cardToken: joinToken(owner, method), lastFour: bank?.iban_last4 ?? '' };
}

/** After a payment by PayPal that allows later ones, the method itself can be charged. */
function agreementOf(intent: Stripe.PaymentIntent): string | undefined {
  const { payment_method_types: types, setup_future_usage: usage } = intent;
  const isSaved = usage === 'off_session' && agreementMethods.some((method) => types.includes(method));
  return isSaved ? cardTokenOf(intent) : undefined;
}

const idOf = (one: string | { id: string } | null | undefined) => (typeof one === 'string' ? one : one?.id);
