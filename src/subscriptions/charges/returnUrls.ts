/** The parameter `ippwat` tells the merchant's page which kind of purchase the payer returns from. */
export function returnUrlOf(kind: 'subscription' | 'payment', returnUrl: string): string {
  const url = new URL(returnUrl);
  url.searchParams.set('ippwat', kind === 'payment' ? 'ppv' : 'subscription');
  return url.href;
}

/** The merchant's page finds the purchase by the provider's reference. */
export function withReference(returnUrl: string, name: 'payment_intent' | 'setup_intent', reference: string): string {
  const url = new URL(returnUrl);
  url.searchParams.set(name, reference);
  return url.href;
}
