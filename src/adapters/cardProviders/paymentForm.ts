import { type PolicyHosts } from '../../kit/pages/policy';

/** A provider's form in our pages. The browser sends the card to the provider, and we receive a token (`adoptToken`). */
export interface PaymentForm {
  /** The provider. The scripts of both have the functions that src/pages/browser/paymentForm.ts uses. */
  kind: 'stripe' | 'sandbox';
  publishableKey: string;
  /** The connected account that the payment is for, if the key is that of a platform. */
  account?: string;
  /** The provider's script, which must come from the provider. */
  scriptUrl: string;
  /** The hosts that a page with the form must allow. */
  hosts: PolicyHosts;
  /** The amount in the unit of the provider's script. `currency`: ISO 4217, upper case. */
  toFormAmount: (amountMinor: number, currency: string) => number;
}
