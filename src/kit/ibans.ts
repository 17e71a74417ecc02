/** Bank account numbers (ISO 13616). */

/** The length of an account number by country, for the countries whose banks take part in SEPA direct debits. */
const lengths: Readonly<Record<string, number>> = {
  ...{ AD: 24, AT: 20, BE: 16, BG: 22, CH: 21, CY: 28, CZ: 24, DE: 22, DK: 18, EE: 20, ES: 24, FI: 18, FR: 27, GB: 22 },
  ...{ GI: 23, GR: 27, HR: 21, HU: 28, IE: 22, IS: 26, IT: 27, LI: 21, LT: 20, LU: 20, LV: 21, MC: 27, MT: 31, NL: 18 },
  ...{ NO: 15, PL: 28, PT: 25, RO: 24, SE: 24, SI: 19, SK: 24, SM: 27, VA: 22 },
};

/** The number without blanks, in capital letters. */
export const canonicalIban = (text: string): string => text.replace(/[\s-]/g, '').toUpperCase();

/** Whether the country, the length and the check digits of a canonical number are right. */
export function isIban(iban: string): boolean {
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]+$/.test(iban) || lengths[iban.slice(0, 2)] !== iban.length) return false;
  const rearranged = iban.slice(4) + iban.slice(0, 4);
  let rest = 0;
  for (const sign of rearranged) rest = Number(`${rest}${parseInt(sign, 36)}`) % 97;
  return rest === 1;
}
