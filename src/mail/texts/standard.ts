import { type Language } from '../../kit/languages';
import { isUrgent } from '../lifetimes';
import { buttonOf } from '../templates';
import { mailLocales, wordsIn } from '../words';
import { type CustomerMail } from './texts.schemas';

/** The standard text of a mail, and what a merchant's own text may contain. */
export function describeText(kind: CustomerMail, language: Language) {
  const { t } = wordsIn(language);
  return {
    kind,
    language,
    placeholders: placeholdersOf(kind),
    has_fixed_closing: isUrgent(kind) || kind === 'activation',
    standard: {
      subject: t(`mails.${kind}.subject`),
      opening: t(`mails.${kind}.opening`),
      closing: t(`mails.${kind}.closing`),
      button: buttonOf(kind, language) ?? null,
    },
  };
}

/** The placeholders of the standard text. Every mail also knows its brand. */
function placeholdersOf(kind: CustomerMail): string[] {
  const { subject, opening, closing } = mailLocales.en.mails[kind];
  const used = [...`${subject} ${opening} ${closing}`.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return [...new Set(['brand', ...used])];
}

/** The first placeholder that a mail does not have, or a brace without a partner; undefined if there is none. */
export function wrongPlaceholder(text: string, known: readonly string[]): string | undefined {
  const allowed = known.map((name) => `{${name}}`);
  return (text.match(/\{[^{}]*\}?|\}/g) ?? []).find((found) => !allowed.includes(found))?.slice(0, 40);
}
