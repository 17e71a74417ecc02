import { type PaymentForm } from '../adapters/cardProviders/paymentForm';
import { type CardProvider } from '../adapters/cardProviders/provider';
import { statement } from '../adapters/postgres/statement';
import { allowsMethod } from '../accounts/merchants/followers';
import { type Caller } from '../kit/auth';
import { formNames, type FormName } from '../kit/paymentMethods';
import { toMinor } from '../billing/money';
import { getProvider, getProviderOf } from './provider/providers';

export { type PaymentForm };

/** The form for a card on a merchant's pages. */
export interface CardEntry {
  /** False if the merchant has no payment account, so that nothing can be sold. */
  isPossible: boolean;
  /** The form of the card provider. Undefined if the pages have fields for a card number. */
  form: PaymentForm | undefined;
  /** What the form offers. Without another method of the form, a card can still be saved for what runs already. */
  formMethods: readonly FormName[];
}

export async function getCardEntry(merchantId: number): Promise<CardEntry> {
  const { isConnected = true, paymentForm: form } = await getProvider(merchantId);
  const allowed: FormName[] = [];
  for (const name of formNames) if (await allowsMethod(merchantId, name)) allowed.push(name);
  return { isPossible: isConnected, form, formMethods: allowed.length > 0 ? allowed : ['card'] };
}

/** The data with which the provider's script lets a payer authenticate a charge or a card on our page. */
export interface ScriptAction {
  form: PaymentForm;
  /** For the payer only. */
  clientSecret: string;
  reference: string;
}

/** Undefined if the payer authenticates on the bank's page, or no longer needs to authenticate. */
export async function findScriptAction(provider: CardProvider, reference: string): Promise<ScriptAction | undefined> {
  const { paymentForm: form } = provider;
  const clientSecret = form && (await provider.findClientSecret?.(reference));
  return form && clientSecret !== undefined ? { form, clientSecret, reference } : undefined;
}

/** Like `findScriptAction`, for a purchase or a card of the caller. */
export async function findOwnAction(caller: Caller, reference: string): Promise<ScriptAction | undefined> {
  const [waiting] = await waitingStatement([caller.merchantId, caller.accountId, reference]);
  return waiting && findScriptAction(await getProviderOf(waiting), reference);
}

const waitingStatement = statement<{ merchantId: number; provider: string }>(
  'waiting_for_payer',
  `SELECT w.merchant_id AS "merchantId", c.provider FROM (
     SELECT merchant_id, account_id, card_id, reference, status FROM charges
     UNION ALL SELECT merchant_id, account_id, card_id, reference, status FROM card_setups
   ) w JOIN cards c ON c.id = w.card_id
   WHERE w.merchant_id = $1 AND w.account_id = $2 AND w.reference = $3 AND w.status = 'requires_action' LIMIT 1`,
);

/** The purpose of a form: a payment, or a saved card. */
export interface FormPurpose {
  /** In the major unit. 0: the card is only saved. */
  amount: number;
  /** ISO 4217, upper case. */
  currency: string;
}

/** The description of a form for the browser's script. */
export function describeForm(form: PaymentForm, { amount, currency }: FormPurpose) {
  const { kind, publishableKey, account = '', scriptUrl, toFormAmount } = form;
  return { kind, publishableKey, account, scriptUrl, amount: toFormAmount(toMinor(amount, currency), currency) };
}
