/** The languages of pages and mails. */
export const languages = ['en', 'ar'] as const;
export type Language = (typeof languages)[number];

const rightToLeft: readonly Language[] = ['ar'];

export const directionOf = (language: Language) => (rightToLeft.includes(language) ? 'rtl' : 'ltr');

/** The first tag, such as `ar-EG`, whose language is available. */
export function matchLanguage(tags: readonly string[]): { language: Language; tag: string } | undefined {
  for (const tag of tags) {
    const language = languages.find((name) => name === tag.toLowerCase().split('-')[0]);
    if (language) return { language, tag };
  }
  return undefined;
}
