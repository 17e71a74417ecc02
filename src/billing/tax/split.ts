import { type TaxedAmount } from './amounts';

/**
 * Splits the tax of a document over its lines by the largest remainder, so that the lines add up to the document. Lines can
 * be negative. Without I/O and Node modules.
 */
export function splitTax(
  { taxMinor, grossMinor }: Pick<TaxedAmount, 'taxMinor' | 'grossMinor'>,
  lines: readonly number[],
): TaxedAmount[] {
  if (lines.reduce((sum, line) => sum + line, 0) !== grossMinor) throw new Error('the lines do not add up');
  const shares = lines.map((line) => shareOf(BigInt(taxMinor) * BigInt(line), BigInt(grossMinor)));
  const missing = taxMinor - shares.reduce((sum, { floor }) => sum + floor, 0);
  const largest = shares
    .map(({ rest }, index) => ({ rest, index }))
    .toSorted((one, other) => Number(other.rest - one.rest));
  const raised = new Set(largest.slice(0, missing).map(({ index }) => index));
  return lines.map((line, index) => {
    const tax = (shares[index]?.floor ?? 0) + (raised.has(index) ? 1 : 0);
    return { netMinor: line - tax, taxMinor: tax, grossMinor: line };
  });
}

/** The whole part of a fraction, towards minus infinity, and what remains of it in parts of the denominator. */
function shareOf(numerator: bigint, denominator: bigint): { floor: number; rest: bigint } {
  if (denominator === 0n) return { floor: 0, rest: 0n };
  const rest = ((numerator % denominator) + denominator) % denominator;
  return { floor: Number((numerator - rest) / denominator), rest };
}
