import { AppError } from '../../kit/errors';
import { asksForConfirmation } from '../../kit/pages/confirmation';
import { inWords, sentence } from './sentences';
import { type Texts, type TextKey } from './texts';
import en from '../locales/en.json';

/** The errors of a refused request, in the language of the page. */
export interface Complaint {
  /** The error of the whole form, if it is not about a field. */
  message: string;
  /** The errors by field. */
  fields: Record<string, string>;
}

/** Whether the pages have a text of their own for the error. */
export const hasText = ({ code }: AppError): boolean => code in en.errors;

/** Translates known errors. A message without a translation is shown to English readers only. Others get a general text. */
export function explain(texts: Texts, error: AppError): Complaint {
  const message = messageOf(texts, error);
  // The translated text also replaces the error of each field, because the texts of the service are for developers.
  const isKnown = hasText(error);
  const errors = Object.entries(error.details.errors ?? {});
  const fields = errors.map(([field, text]) => [field, isKnown ? message : sentence(texts, text)]);
  return { message, fields: Object.fromEntries(fields) as Record<string, string> };
}

function messageOf(texts: Texts, error: AppError): string {
  const { t, language } = texts;
  if (hasText(error)) return t(`errors.${error.code}` as TextKey);
  const { explain: said = error.message, errors } = error.details;
  if (language === 'en') return inWords(texts, said);
  return t(errors ? 'errors.invalid' : 'errors.refused');
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
