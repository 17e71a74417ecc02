/** Stripe's units per ISO minor unit, for currencies in which they differ (docs.stripe.com/currencies). */
const unitsPerMinor: Readonly<Record<string, number>> = { ISK: 100, UGX: 100, MGA: 1 / 100 };

export function toStripeAmount(minor: number, currency: string): number {
  return Math.round(minor * (unitsPerMinor[currency] ?? 1));
}

export function fromStripeAmount(amount: number, currency: string): number {
  return Math.round(amount / (unitsPerMinor[currency] ?? 1));
}
