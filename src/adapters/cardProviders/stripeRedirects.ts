import { randomUUID } from 'node:crypto';
import type Stripe from 'stripe';
import { isWallet, redirectMethods, type RedirectCharge, type RedirectMaker } from './redirects';
import { asking, createCustomer } from './stripeCards';
import { acceptedBy } from './stripeDebits';
import { joinToken } from './stripeTokens';

/**
 * iDEAL, Bancontact and PayPal through Stripe. With the payment of a first period, Stripe makes a SEPA mandate of the payer's
 * bank account, which pays for the renewals. A payment by PayPal can be used again itself.
 */

/** `hasScript`: our page has Stripe's script, which opens the wallet. */
export function createRedirects(client: Stripe, hasScript: boolean): RedirectMaker {
  return {
    makesWallets: hasScript,

    async begin(method, { owner, name, email }) {
      const customer = owner.customer ?? (await createCustomer(client, owner.accountUuid));
      if (isWallet(method)) return joinToken(customer, `wallet_${randomUUID()}`);
      // The payer chooses the bank or the account on the page of the method.
      const means: Stripe.PaymentMethodCreateParams = { type: method, [method]: {}, billing_details: { name, email } };
      return joinToken(customer, (await asking(() => client.paymentMethods.create(means))).id);
    },
  };
}

/** The parameters of an intent that is paid on a page. */
export function paidOnPage({ method, savesMandate, acceptedFrom }: RedirectCharge, returnUrl: string) {
  if (isWallet(method)) return { allowed_payment_method_types: ['card' as const] };
  const saving = { setup_future_usage: 'off_session' as const, mandate_data: acceptedBy(acceptedFrom) };
  return { allowed_payment_method_types: [method], return_url: returnUrl, ...(savesMandate && saving) };
}

/** Only the charge of an intent tells the mandate that it has made. */
export const expandedCharge = { expand: ['latest_charge'] };

/** Whether a paid intent was read without the charge that tells its mandate. */
export function lacksMandate({ status, latest_charge: charge, payment_method_types: types }: Stripe.PaymentIntent) {
  return status === 'succeeded' && typeof charge === 'string' && redirectMethods.some((name) => types.includes(name));
}
