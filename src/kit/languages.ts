/** The languages of pages for customers and of mails. */
export const languages = ['en', 'ar', 'de', 'es', 'fr', 'it', 'pt', 'tr'] as const;
export type Language = (typeof languages)[number];

/** The languages of the pages for merchants and operators, and of reports. */
export const consoleLanguages = ['en', 'ar'] as const;
export type ConsoleLanguage = (typeof consoleLanguages)[number];

const rightToLeft: readonly Language[] = ['ar'];

export const directionOf = (language: Language) => (rightToLeft.includes(language) ? 'rtl' : 'ltr');

/** The first tag, such as `ar-EG`, whose language is available. */
export function matchLanguage(
  tags: readonly string[],
  available: readonly Language[] = languages,
): { language: Language; tag: string } | undefined {
  for (const tag of tags) {
    const language = available.find((name) => name === tag.toLowerCase().split('-')[0]);
    if (language) return { language, tag };
  }
  return undefined;
}

/** The name of a language in the language itself: `Deutsch`. */
export function languageName(language: Language): string {
  const name = new Intl.DisplayNames(language, { type: 'language' }).of(language) ?? language;
  return name.charAt(0).toLocaleUpperCase(language) + name.slice(1);
}
