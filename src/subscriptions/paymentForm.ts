import { type PaymentForm } from '../adapters/cardProviders/paymentForm';
import { toMinor } from '../billing/money';
import { getProvider } from './provider/providers';

export { type PaymentForm };

/** How a merchant's pages take a card. */
export interface CardEntry {
  /** False: the merchant has no payment account, so nothing can be sold. */
  isPossible: boolean;
  /** The form of the card provider. Undefined: the pages have fields for a card number. */
  form: PaymentForm | undefined;
}

export async function getCardEntry(merchantId: number): Promise<CardEntry> {
  const { isConnected = true, paymentForm: form } = await getProvider(merchantId);
  return { isPossible: isConnected, form };
}

/** What a form collects a card for. */
export interface FormPurpose {
  /** In the major unit. 0: the card is only saved. */
  amount: number;
  /** ISO 4217, upper case. */
  currency: string;
}

/** The description of a form for the browser's script. */
export function describeForm(form: PaymentForm, { amount, currency }: FormPurpose) {
  const { kind, publishableKey, scriptUrl, toFormAmount } = form;
  return { kind, publishableKey, scriptUrl, amount: toFormAmount(toMinor(amount, currency), currency) };
}
