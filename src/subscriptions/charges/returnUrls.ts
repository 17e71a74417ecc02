/** The merchant's page after an authentication. Its parameter `ippwat` contains the kind of the purchase. */
export function returnUrlOf(kind: 'subscription' | 'payment', returnUrl: string): string {
  const url = new URL(returnUrl);
  url.searchParams.set('ippwat', kind === 'payment' ? 'ppv' : 'subscription');
  return url.href;
}

/** The merchant's page, with the provider's reference of the purchase. */
export function withReference(returnUrl: string, name: 'payment_intent' | 'setup_intent', reference: string): string {
  const url = new URL(returnUrl);
  url.searchParams.set(name, reference);
  return url.href;
}
