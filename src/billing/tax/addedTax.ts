import { roundToStep } from '../dues';
import { taxOnTop } from './amounts';
import { type TaxDecision } from './decision';
import { type Evidence } from './places';
import { type TaxKind } from './rates';

/**
 * The tax that is added to the prices of a purchase. It is decided with the amount, before the provider is asked. Without
 * I/O and Node modules.
 */
export interface AddedTax extends TaxDecision {
  kind: TaxKind;
  evidence: Evidence;
}

/**
 * What is due for a price, in minor units. `tax` is null if the prices include tax. An amount that the provider cannot
 * charge is rounded down to its step.
 */
export function dueOf(priceMinor: number, tax: Pick<AddedTax, 'milliPercent'> | null, currency: string): number {
  if (tax === null) return priceMinor;
  return roundToStep(taxOnTop(priceMinor, tax.milliPercent).grossMinor, currency);
}
