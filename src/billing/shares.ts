/**
 * The share `part / whole` of an amount, rounded half up. Uses BigInt, because money times milliseconds exceeds 2^53.
 */
export function share(amountMinor: number, part: number, whole: number): number {
  if (whole <= 0) return 0;
  const [numerator, denominator] = [BigInt(amountMinor) * BigInt(Math.round(part)), BigInt(Math.round(whole))];
  return Number((2n * numerator + denominator) / (2n * denominator));
}
