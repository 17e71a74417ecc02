import { cardProvider } from '../adapters/cardProviders';
import { toMinor } from '../billing/money';

/** The card provider's form in our pages. Undefined: the pages have fields for a card number. */
export const { paymentForm } = cardProvider;

/** What a form collects a card for. */
export interface FormPurpose {
  /** In the major unit. 0: the card is only saved. */
  amount: number;
  /** ISO 4217, upper case. */
  currency: string;
}

/** The description of a form for the browser's script. Undefined: the provider has no form. */
export function describeForm({ amount, currency }: FormPurpose) {
  if (!paymentForm) return undefined;
  const { kind, publishableKey, scriptUrl, toFormAmount } = paymentForm;
  return { kind, publishableKey, scriptUrl, amount: toFormAmount(toMinor(amount, currency), currency) };
}
