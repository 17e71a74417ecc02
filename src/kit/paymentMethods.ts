/** The methods by which a customer can pay, with the ids and the names that clients read. Without I/O. */

export const methodNames = [
  'card',
  'direct_debit',
  'paypal',
  'ideal',
  'bancontact',
  'google_pay',
  'apple_pay',
  'link',
] as const;
export type MethodName = (typeof methodNames)[number];

/** The methods that a merchant can enable. A card provider may still be unable to make one of them. */
export const enabledNames = [
  'card',
  'link',
  'google_pay',
  'apple_pay',
  'direct_debit',
  'ideal',
  'bancontact',
  'paypal',
] as const satisfies readonly MethodName[];
export type EnabledName = (typeof enabledNames)[number];

/** The methods of the card provider's form. Both are stored, renewed and used by default in the same way. */
export const formNames = ['card', 'link'] as const satisfies readonly MethodName[];
export type FormName = (typeof formNames)[number];

export const isOfForm = (name: string) => formNames.some((known) => known === name);

/**
 * The methods with which a payer pays on another page. Renewals by iDEAL and Bancontact are direct debits of the same
 * account. Renewals by PayPal are payments by PayPal.
 */
export const redirectNames = ['ideal', 'bancontact', 'paypal'] as const satisfies readonly MethodName[];
export type RedirectName = (typeof redirectNames)[number];

/** The wallets of a device. Without a token of the provider's form, the payer opens the wallet on a page. */
export const walletNames = ['google_pay', 'apple_pay'] as const satisfies readonly MethodName[];
export type WalletName = (typeof walletNames)[number];

export const findWalletName = (name: string): WalletName | undefined => walletNames.find((known) => known === name);

/** The names that customers know. */
export const redirectTitles: Record<RedirectName, string> = {
  ideal: 'iDEAL',
  bancontact: 'Bancontact',
  paypal: 'PayPal',
};

export const findRedirectName = (name: string): RedirectName | undefined =>
  redirectNames.find((known) => known === name);

/** The time at which a first direct debit opens access: at its submission, or with the arrival of its money. */
export const debitAccesses = ['at_submission', 'with_payment'] as const;
export type DebitAccess = (typeof debitAccesses)[number];

/** The ids from 3 to 6 are those of app stores. Clients know 1 and 2. */
export const paymentMethods: Record<MethodName, { id: number; title: string }> = {
  card: { id: 1, title: 'Card' },
  paypal: { id: 2, title: 'PayPal' },
  direct_debit: { id: 7, title: 'Direct Debit' },
  ideal: { id: 8, title: 'Ideal' },
  google_pay: { id: 9, title: 'Google Pay' },
  apple_pay: { id: 10, title: 'Apple Pay' },
  bancontact: { id: 11, title: 'Bancontact' },
  link: { id: 12, title: 'Link' },
};

/** Other names that clients send. */
const spellings: ReadonlyMap<string, MethodName> = new Map([
  ['sepa_debit', 'direct_debit'],
  ['google_pay_on_web', 'google_pay'],
  ['apple_pay_on_web', 'apple_pay'],
]);

/** Reads a method as clients send it: its id, or its name in any case. */
export function findMethodName(text: string): MethodName | undefined {
  const name = text.trim().toLowerCase().replace(/[ -]+/g, '_');
  return (
    methodNames.find((known) => known === name || String(paymentMethods[known].id) === name) ?? spellings.get(name)
  );
}

/** A direct debit takes up to this many days, so shorter periods cannot be paid by direct debit. */
export const debitDaysMax = 14;

/** SEPA direct debits are in euros only, and so are the methods whose renewals they pay. */
export const debitCurrency = 'EUR';

/**
 * The currencies in which Stripe takes payments by PayPal: docs.stripe.com/payments/paypal/accept-a-payment, "Determine
 * compatibility".
 */
export const paypalCurrencies: readonly string[] = [
  ...['AUD', 'CAD', 'CHF', 'CZK', 'DKK', 'EUR', 'GBP'],
  ...['HKD', 'NOK', 'NZD', 'PLN', 'SEK', 'SGD', 'USD'],
];

/** The countries whose banks make payments by a method. A visitor from another country is not offered it. */
export const methodCountries: Partial<Record<MethodName, readonly string[]>> = { ideal: ['NL'], bancontact: ['BE'] };
