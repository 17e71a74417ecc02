import { findMethodName, findRedirectName } from '../../kit/paymentMethods';
import { type TextKey, type Texts } from '../layout/texts';

/**
 * The text for the stored reason of a failed payment. Empty without a reason. `method`: the name of what has paid, as in the
 * answers of the API; without it, a card.
 */
export function failureText({ t }: Texts, reason: string, method = 'card'): string {
  if (reason === '') return '';
  const ofCard = `portal.failures.${reason}`;
  const ofOther = `portal.otherFailures.${reason}`;
  const isCard = isOfCard(method);
  const ofPaypal = findMethodName(method) === 'paypal' ? [`portal.paypalFailures.${reason}`] : [];
  const keys = isCard ? [ofCard] : cardReasons.includes(reason) ? [] : [...ofPaypal, ofOther, ofCard];
  const known = keys.find((key) => t(key as TextKey) !== key);
  if (known !== undefined) return t(known as TextKey);
  return t(isCard ? 'errors.payment_failed' : 'portal.otherFailures.declined');
}

/** A provider can answer them for another method too. Their texts are about a card. */
const cardReasons = ['expired_card', 'lost_card', 'payment_token_spent'];

/** Whether the page shows the provider's message about a failed payment. It is in English, and about a card. */
export const isProviderMessage = ({ language }: Texts, method = 'card') => language === 'en' && isOfCard(method);

/** Whether the texts about a card fit. A wallet is paid by its card, and Link by one of its own. */
function isOfCard(name: string): boolean {
  const method = findMethodName(name) ?? 'card';
  return method !== 'direct_debit' && findRedirectName(method) === undefined;
}
