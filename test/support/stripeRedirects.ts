import { randomUUID } from 'node:crypto';
import { failure, type Answered, type Fields } from './stripeAccounts';
import { stripeIbans, type Method } from './stripeDebits';

/** What the stand-in for Stripe knows of payments on a page, and of the mandate or the agreement that a payment makes. */

const kinds = ['ideal', 'bancontact', 'paypal'] as const;
type Kind = (typeof kinds)[number];

export const kindOf = (method: Pick<Method, 'type'>): Kind | undefined => kinds.find((kind) => kind === method.type);

/** Stripe requires a name and an email, because a mandate can follow. */
export function newBankPayment({ type, billing_details }: Fields): Method | undefined {
  const kind = kinds.find((one) => one === type);
  const { name, email } = (billing_details ?? {}) as Record<string, string>;
  if (!kind || !name || !email) return undefined;
  const id = `pm_${randomUUID()}`;
  return { id, object: 'payment_method', type: kind, customer: null, billing_details: { name }, number: kind };
}

/** Why a payment cannot begin; undefined if it can. */
export function refuseOnPage(kind: Kind, fields: Fields): Answered | undefined {
  const types = (fields['allowed_payment_method_types'] ?? []) as string[];
  const refuse = (message: string) => failure(400, { type: 'invalid_request_error', message });
  if (!types.includes(kind)) return refuse(`${kind} is not allowed.`);
  if (kind !== 'paypal' && fields['currency'] !== 'eur') return refuse(`${kind} is in euros only.`);
  if (fields['return_url'] === undefined) return refuse('A return_url is required.');
  if (fields['off_session'] !== undefined) return refuse('The payer must be present.');
  const saves = fields['setup_future_usage'] !== undefined;
  return saves && fields['mandate_data'] === undefined ? refuse('mandate_data is required.') : undefined;
}

/** Why a set-up cannot begin; undefined if it can. */
export function refuseSetUpOnPage(kind: Kind, fields: Fields): Answered | undefined {
  const types = (fields['allowed_payment_method_types'] ?? []) as string[];
  const isComplete = ['return_url', 'mandate_data'].every((name) => fields[name] !== undefined);
  if (types.includes(kind) && fields['usage'] === 'off_session' && isComplete) return undefined;
  const message = `${kind} needs its type, the use off session, a return_url and mandate_data.`;
  return failure(400, { type: 'invalid_request_error', message });
}

/** The attempt of a set-up that the payer has agreed to. */
export const attemptOf = (kind: Kind, saved: Method): Fields => ({
  id: `setatt_${randomUUID()}`,
  object: 'setup_attempt',
  payment_method_details: { type: kind, [kind]: accountOf(saved) },
});

const accountOf = (saved: Method) => ({
  iban_last4: stripeIbans.paid.slice(-4),
  generated_sepa_debit: saved.id,
  generated_sepa_debit_mandate: `mandate_${randomUUID()}`,
});

/** The charge of a paid intent. `saved`: the mandate that it has made. */
export function chargeOf(kind: Kind, saved: Method | undefined): Fields {
  if (kind === 'paypal') return { ...charge(), payment_method_details: { type: kind, paypal: paypalAccount } };
  const account = saved ? accountOf(saved) : { iban_last4: stripeIbans.paid.slice(-4) };
  return { ...charge(), payment_method_details: { type: kind, [kind]: account } };
}

const charge = () => ({ id: `py_${randomUUID()}`, object: 'charge' });

const paypalAccount = { payer_email: 'ana@example.org', payer_id: 'PAYERID' };

/** A payer has agreed to later payments by PayPal: the method belongs to the customer, and needs no page any more. */
export const isAgreed = ({ type, customer }: Method) => type === 'paypal' && customer !== null;

/** Why a payment by agreement cannot be made; undefined if it can. */
export function refuseAgreed({ type, customer }: Method, fields: Fields): Answered | undefined {
  const types = (fields['allowed_payment_method_types'] ?? []) as string[];
  if (types.includes(type) && fields['customer'] === customer && fields['off_session'] === 'true') return undefined;
  return failure(400, {
    type: 'invalid_request_error',
    message: 'The agreement is of another customer, or needs its payer.',
  });
}

/** The bank account behind a payment, for direct debits. `iban`: what becomes of them. */
export function accountBehind({ billing_details }: Method, customer: string, iban: string): Method {
  const sepa_debit = { last4: iban.slice(-4), country: iban.slice(0, 2), fingerprint: `fp_${iban.slice(-4)}` };
  const id = `pm_${randomUUID()}`;
  return { id, object: 'payment_method', type: 'sepa_debit', customer, sepa_debit, billing_details, number: iban };
}

/** As Stripe shows an intent: the charge or the attempt is its id, unless the request expands it. */
export function withDetail(intent: Fields, name: 'latest_charge' | 'latest_attempt', fields: Fields): Fields {
  const detail = intent[name] as Fields | null;
  const isExpanded = ((fields['expand'] ?? []) as string[]).some((path) => path.endsWith(name));
  return { ...intent, [name]: isExpanded || !detail ? detail : detail['id'] };
}
