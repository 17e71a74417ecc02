import { AppError } from '../../kit/errors';
import { asksForConfirmation } from '../../kit/pages/confirmation';
import { type Texts, type TextKey } from './texts';
import en from '../locales/en.json';

/** The errors of a refused request, in the language of the page. */
export interface Complaint {
  /** The error of the whole form, if it is not about a field. */
  message: string;
  /** The errors by field. */
  fields: Record<string, string>;
}

/** Translates known errors. An unknown message of the service is shown unchanged. */
export function explain(texts: Texts, error: AppError): Complaint {
  const message = messageOf(texts, error);
  // The translated text also replaces the error of each field, because the texts of the service are for developers.
  const isKnown = error.code in en.errors;
  const errors = Object.entries(error.details.errors ?? {});
  const fields = errors.map(([field, text]) => [field, isKnown ? message : sentence(texts, text)]);
  return { message, fields: Object.fromEntries(fields) as Record<string, string> };
}

function messageOf({ t, language }: Texts, error: AppError): string {
  if (error.code in en.errors) return t(`errors.${error.code}` as TextKey);
  const { explain: said = error.message } = error.details;
  return language === 'en' ? said : t('errors.invalid');
}

const patterns = [
  [/must not be empty/, 'errors.required'],
  [/at least (\d+) characters/, 'errors.tooShort'],
  [/at most (\d+) characters/, 'errors.tooLong'],
  [/payment_token has expired/, 'errors.tokenExpired'],
  [/payment_token has been used/, 'errors.tokenUsed'],
  [/payment_token is not known/, 'errors.tokenUnknown'],
  [/has the placeholder (.+), which this mail does not have/, 'console.mails.unknownPlaceholder'],
  [/is the present one/, 'portal.email.same'],
  [/in use for another saved filter/, 'console.filters.nameTaken'],
  [/list has (\d+) saved filters/, 'console.filters.full'],
  [/list has no filter/, 'console.filters.none'],
  [/no tax rate for ([\w, -]+)\. The operator/, 'console.tax.noRateFor'],
  [/calculation of the provider needs a Stripe account/, 'console.tax.calculationNeedsAccount'],
  [/not registered in VIES/, 'billing.taxNumberNotRegistered'],
  [/confirmation|do(?:es)? not match/i, 'errors.passwordsDiffer'],
] as const;

/** The error of a field, for people. */
export function sentence({ t, language }: Texts, text: string): string {
  for (const [pattern, key] of patterns) {
    const found = pattern.exec(text);
    if (found) return t(key, { count: Number(found[1] ?? 0), name: found[1] ?? '' });
  }
  return language === 'en' ? text.replace(/^The ([\w.]+) must/, 'This must') : t('errors.invalid');
}

/**
 * Runs the request of a form. Errors that the visitor can correct are returned; others are thrown. The kit answers the
 * demand for a confirmation.
 */
export async function attempt<T>(
  texts: Texts,
  work: () => Promise<T>,
): Promise<{ done: T } | { refused: Complaint; error: AppError }> {
  try {
    return { done: await work() };
  } catch (error) {
    if (error instanceof AppError && error.status < 500 && error.code !== 'page_expired' && !asksForConfirmation(error))
      return { refused: explain(texts, error), error };
    throw error;
  }
}

/** If the provider does not answer, nothing was charged, and the checkout is shown again. */
export async function attemptToPay<T>(texts: Texts, work: () => Promise<T>): ReturnType<typeof attempt<T>> {
  try {
    return await attempt(texts, work);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'service_unavailable') throw error;
    return { refused: explain(texts, error), error };
  }
}
