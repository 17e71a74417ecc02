/** In which form a merchant shows prices: as the visitor's country expects it, always with tax, or always without. Without I/O. */

export const shownPriceRules = ['by_country', 'with_tax', 'without_tax'] as const;
export type ShownPriceRule = (typeof shownPriceRules)[number];
