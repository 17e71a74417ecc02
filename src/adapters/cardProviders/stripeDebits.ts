import type Stripe from 'stripe';
import { type BankAccount, type DebitMaker, type Mandate, type Signer } from './debits';
import { asking, createCustomer } from './stripeCards';
import { joinToken } from './stripeTokens';

/**
 * SEPA direct debits through Stripe. A setup intent takes the mandate, so that later charges need no payer. Stripe reports
 * returned debits as disputes, and sends the pre-notifications that SEPA requires.
 */

export const sepaDebit = 'sepa_debit';

export function createDebits(client: Stripe): DebitMaker {
  return {
    async createMandate(account, signer) {
      const customer = signer.owner.customer ?? (await createCustomer(client, signer.owner.accountUuid));
      const method = await asking(() => client.paymentMethods.create(methodOf(account, signer)), undefined, fields);
      const intent: Stripe.SetupIntentCreateParams = {
        customer,
        payment_method: method.id,
        allowed_payment_method_types: [sepaDebit],
        confirm: true,
        usage: 'off_session',
        mandate_data: acceptedBy(signer),
        expand: ['mandate'],
      };
      const { mandate } = await asking(() => client.setupIntents.create(intent), undefined, fields);
      return mandateOf(joinToken(customer, method.id), method, mandate);
    },
  };
}

const fields = { iban: 'iban', 'sepa_debit[iban]': 'iban' };

/** Stripe sends the payer's pre-notifications to the email address. */
function methodOf({ iban, holderName }: BankAccount, { email }: Signer): Stripe.PaymentMethodCreateParams {
  return { type: sepaDebit, sepa_debit: { iban }, billing_details: { name: holderName, email } };
}

/** Where and when the payer has accepted the mandate. */
export function acceptedBy({ address, userAgent }: Pick<Signer, 'address' | 'userAgent'>) {
  const online = { ip_address: address, user_agent: userAgent };
  return { customer_acceptance: { type: 'online', online } } as const;
}

/** What may be stored of a mandate. Stripe's page of the mandate is for the payer only. */
export function mandateOf(
  token: string,
  { id, sepa_debit: account, billing_details: holder }: Stripe.PaymentMethod,
  mandate: Stripe.SetupIntent['mandate'],
): Mandate {
  const details = typeof mandate === 'string' ? undefined : mandate?.payment_method_details.sepa_debit;
  return {
    token,
    lastFour: account?.last4 ?? '',
    country: account?.country ?? '',
    fingerprint: account?.fingerprint ?? id,
    holderName: holder.name ?? '',
    reference: details?.reference ?? '',
    url: details?.url ?? '',
  };
}
