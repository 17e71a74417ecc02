import { type TextKey, type Texts } from '../layout/texts';

/** The text for the stored reason of a failed payment. Empty without a reason. */
export function failureText({ t }: Texts, reason: string): string {
  const key = `portal.failures.${reason}`;
  const known = reason === '' ? '' : t(key as TextKey);
  return known === key ? t('errors.payment_failed') : known;
}
