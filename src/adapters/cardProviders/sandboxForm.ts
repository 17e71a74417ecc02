import { createHash } from 'node:crypto';
import { type PaymentForm } from './paymentForm';

/** Names an account of the sandbox in addresses and in its form. The key cannot be derived from it. */
export const sandboxAccountOf = (key: string) => `acct_${createHash('sha256').update(key).digest('hex').slice(0, 32)}`;

/** The form of the sandbox. Its script has the functions of Stripe's that our pages use. `base`: as browsers reach it. */
export function sandboxForm(base: string, key: string): PaymentForm {
  const { origin } = new URL(base);
  return {
    kind: 'sandbox',
    publishableKey: sandboxAccountOf(key),
    scriptUrl: `${origin}/form/script.js`,
    hosts: { script: [origin], connect: [], frame: [origin] },
    toFormAmount: (amountMinor) => amountMinor,
  };
}
