import { leastChargeMinor, stepMinor } from './dues';

/**
 * The amounts that Stripe can charge, by currency (docs.stripe.com/currencies). The sandbox has the same limits, so
 * that a price that works in a test works in production. Without I/O and Node modules, because workflows import it.
 */

/** The limits in one currency, in minor units. */
export interface Capability {
  least: number;
  most: number;
  /** Every amount must be a multiple of this. */
  step: number;
}

/** Currencies without card payments: funds, accounting units, and currencies that Stripe does not support. */
const refusedCurrencies = new Set(
  'BOV BTN CHE CHW CLF COU CUP ERN IQD IRR KPW LYD MRU MXV SDG SSP SVC SYP TMT USN UYI UYW VED VES XAD ZWG'.split(' '),
);

/** An amount has at most eight digits in Stripe's unit; these currencies may have more. */
const digits: Readonly<Record<string, number>> = { COP: 10, HUF: 10, IDR: 12, JPY: 10 };
/** Stripe counts these currencies in hundredths although they have no decimals. */
const hundredfold = new Set(['ISK', 'UGX']);

/** Undefined if the provider does not support the currency. */
export function findCapability(currency: string): Capability | undefined {
  if (refusedCurrencies.has(currency)) return undefined;
  const step = stepMinor(currency);
  const units = 10 ** (digits[currency] ?? 8) - 1;
  const most = hundredfold.has(currency) ? Math.floor(units / 100) : units;
  return { least: Math.ceil(leastChargeMinor(currency) / step) * step, most: most - (most % step), step };
}
