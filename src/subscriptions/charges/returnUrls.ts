/** The parameter `ippwat` tells the merchant's page which kind of purchase the payer returns from. */
export function returnUrlOf(kind: 'subscription' | 'payment', returnUrl: string): string {
  const url = new URL(returnUrl);
  url.searchParams.set('ippwat', kind === 'payment' ? 'ppv' : 'subscription');
  return url.href;
}
