/**
 * In which form a merchant shows prices: as the visitor's country expects it, always with tax, or always without. The types of
 * the rule and of the model say the same, because they may not import this list. The compiler compares them with it.
 */
export const shownPriceRules = ['by_country', 'with_tax', 'without_tax'] as const;
