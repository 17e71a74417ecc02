/** The regions of East Asia, which write the same Han characters in different shapes. */

export const regions = ['sc', 'tc', 'jp', 'kr'] as const;

/** Simplified Chinese, Traditional Chinese, Japanese or Korean. */
export type Region = (typeof regions)[number];

const regionOfCountry: Partial<Record<string, Region>> = {
  CN: 'sc',
  SG: 'sc',
  TW: 'tc',
  HK: 'tc',
  MO: 'tc',
  JP: 'jp',
  KR: 'kr',
};

/** The region whose shapes a text has: that of its country (ISO 3166), or that of signs that only one region uses. */
export function regionOf(text: string, country = ''): Region {
  const known = regionOfCountry[country];
  if (known) return known;
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return 'jp';
  if (/\p{Script=Hangul}/u.test(text)) return 'kr';
  return /\p{Script=Bopomofo}/u.test(text) ? 'tc' : 'sc';
}
