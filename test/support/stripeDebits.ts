import { randomUUID } from 'node:crypto';
import { failure, type Answered, type Fields } from './stripeAccounts';

/** What the stand-in for Stripe knows of SEPA direct debits: bank accounts, mandates, and the decisions of banks. */

export interface Method {
  id: string;
  object: 'payment_method';
  type: 'card' | 'link' | 'sepa_debit' | 'ideal' | 'bancontact' | 'paypal';
  customer: string | null;
  card?: Fields;
  link?: { email: string };
  sepa_debit?: Fields;
  billing_details: { name: string | null };
  /** Of the card, or the IBAN. */
  number: string;
}

/** Test accounts that Stripe publishes as well. */
export const stripeIbans = {
  paid: 'DE89370400440532013000',
  failed: 'DE65370400440002222227',
  returned: 'DE35370400440532013002',
} as const;

/** Its mandate has ended when it is charged. */
export const ibanWithoutMandate = 'DE62370400440532013001';

export const badIban = failure(400, {
  type: 'invalid_request_error',
  code: 'invalid_bank_account_iban',
  param: 'sepa_debit[iban]',
  message: 'The IBAN you provided is invalid.',
});

export function newBankAccount({ sepa_debit, billing_details }: Fields): Method | undefined {
  const { iban = '' } = sepa_debit as Record<string, string>;
  const { name, email } = (billing_details ?? {}) as Record<string, string>;
  // Stripe requires both.
  if (iban.length < 15 || !name || !email) return undefined;
  return {
    id: `pm_${randomUUID()}`,
    object: 'payment_method',
    type: 'sepa_debit',
    customer: null,
    sepa_debit: { last4: iban.slice(-4), country: iban.slice(0, 2), fingerprint: `fp_${iban.slice(-4)}` },
    billing_details: { name },
    number: iban,
  };
}

/** A setup intent for a bank account succeeds at once. As at Stripe, the acceptance of the payer is required. */
export function signMandate(id: string, method: Method, fields: Fields): Answered {
  const accepted = fields['mandate_data'] as { customer_acceptance?: { online?: Fields } } | undefined;
  if (accepted?.customer_acceptance?.online?.['ip_address'] === undefined)
    return failure(400, { type: 'invalid_request_error', param: 'mandate_data', message: 'Missing mandate_data.' });
  const customer = String(fields['customer']);
  method.customer = customer;
  const reference = id.slice(-8).toUpperCase();
  const details = { type: 'sepa_debit', sepa_debit: { reference, url: `https://stripe.example/mandates/${id}` } };
  const mandate = {
    id: `mandate_${randomUUID()}`,
    object: 'mandate',
    status: 'active',
    payment_method: method.id,
    payment_method_details: details,
  };
  const body = { id, object: 'setup_intent', status: 'succeeded', customer, payment_method: method.id, mandate };
  return { status: 200, body };
}

export const isDebit = ({ type }: Method) => type === 'sepa_debit';

/** Why a debit cannot be submitted; undefined if it can. */
export function refuseDebit({ number }: Method, fields: Fields): Answered | undefined {
  const types = (fields['allowed_payment_method_types'] ?? []) as string[];
  if (fields['currency'] !== 'eur' || !types.includes('sepa_debit'))
    return failure(400, { type: 'invalid_request_error', message: 'A SEPA debit is in euros only.' });
  if (number !== ibanWithoutMandate) return undefined;
  return failure(400, {
    type: 'invalid_request_error',
    code: 'payment_intent_mandate_invalid',
    message: 'No mandate.',
  });
}

interface Debit {
  status: string;
  last_payment_error: Fields | null;
}

export function decideDebit(debit: Debit, method: Method | undefined): void {
  if (debit.status !== 'processing') return;
  const isPaid = method?.number !== stripeIbans.failed;
  debit.status = isPaid ? 'succeeded' : 'requires_payment_method';
  if (isPaid) return;
  const message = 'The bank account has insufficient funds.';
  debit.last_payment_error = { type: 'card_error', code: 'insufficient_funds', message };
}
