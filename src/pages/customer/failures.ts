import { findMethodName, findRedirectName } from '../../kit/paymentMethods';
import { type TextKey, type Texts } from '../layout/texts';

/**
 * The text for the stored reason of a failed payment. Empty without a reason. `method`: the name of what has paid, as in the
 * answers of the API; without it, a card.
 */
export function failureText({ t }: Texts, reason: string, method = 'card'): string {
  if (reason === '') return '';
  const sections = isOfCard(method) ? ['failures'] : ['otherFailures', 'failures'];
  for (const section of sections) {
    const key = `portal.${section}.${reason}`;
    const known = t(key as TextKey);
    if (known !== key) return known;
  }
  return t('errors.payment_failed');
}

/** Whether the page shows the provider's message about a failed payment. It is in English, and about a card. */
export const isProviderMessage = ({ language }: Texts, method = 'card') => language === 'en' && isOfCard(method);

/** Whether the texts about a card fit. A wallet is paid by its card, and Link by one of its own. */
function isOfCard(name: string): boolean {
  const method = findMethodName(name) ?? 'card';
  return method !== 'direct_debit' && findRedirectName(method) === undefined;
}
