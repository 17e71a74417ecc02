import { AppError } from '../../kit/errors';
import { type Texts, type TextKey } from './texts';
import { en } from './messages/en';

/** What an endpoint said no to, in the words of the page. */
export interface Complaint {
  /** Of the whole form, when no field is named. */
  message: string;
  /** By field. */
  fields: Record<string, string>;
}

/** Known errors in the page's language; a sentence of the service that the catalogue does not know as it is. */
export function explain(texts: Texts, error: AppError): Complaint {
  const message = messageOf(texts, error);
  // A refusal that has a text of its own says it at its field, too: the service's words are for programs.
  const isKnown = error.code in en.errors;
  const told = Object.entries(error.details.errors ?? {});
  const fields = told.map(([field, text]) => [field, isKnown ? message : sentence(texts, text)]);
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
  [/confirmation|do(?:es)? not match/i, 'errors.passwordsDiffer'],
] as const;

function sentence({ t, language }: Texts, text: string): string {
  for (const [pattern, key] of patterns) {
    const found = pattern.exec(text);
    if (found) return t(key, { count: Number(found[1] ?? 0) });
  }
  return language === 'en' ? text.replace(/^The (\w+) must/, 'This must') : t('errors.invalid');
}

/** Tries what a form asks for; what the visitor can mend comes back as a complaint, anything else is thrown. */
export async function attempt<T>(
  texts: Texts,
  work: () => Promise<T>,
): Promise<{ done: T } | { refused: Complaint; error: AppError }> {
  try {
    return { done: await work() };
  } catch (error) {
    if (error instanceof AppError && error.status < 500 && error.code !== 'page_expired')
      return { refused: explain(texts, error), error };
    throw error;
  }
}
