import { type Reply } from './client';
import { type Person } from './factories';
import { mailsTo } from './ledger';
import { type ErrorBody } from './raw';
import { type StripeApp } from './stripeNotifications';

const isRevoked = { type: 'invalid_request_error', message: 'Invalid API Key provided: sk_test_*1' };

/** Sends a request that needs a card twice while the key of Stripe is revoked. Returns the wrong answers and mails. */
export async function faultsWhileRevoked(
  app: StripeApp,
  merchant: Person,
  send: () => Promise<Reply<unknown>>,
): Promise<unknown[]> {
  app.stripe.refuse('/v1/customers', 401, isRevoked);
  app.stripe.refuse('/v1/payment_methods', 401, isRevoked);
  const faults: unknown[] = [];
  for (const { status, body } of [await send(), await send()]) {
    const { error, explain } = body as ErrorBody;
    if (status !== 402 || error !== 'provider_misconfigured' || !explain.includes('not your card'))
      faults.push({ status, body });
  }
  app.stripe.mend();
  const mails = (await mailsTo(app, merchant.id)).filter((template) => template === 'charges_refused');
  return mails.length === 1 ? faults : [...faults, { mails }];
}
