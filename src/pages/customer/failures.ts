import { type TextKey, type Texts } from '../layout/texts';

/** Why the money did not come, by the reason that purchases keep; empty where nobody said. */
export function failureText({ t }: Texts, reason: string): string {
  const key = `portal.failures.${reason}`;
  const known = reason === '' ? '' : t(key as TextKey);
  return known === key ? t('errors.payment_failed') : known;
}
