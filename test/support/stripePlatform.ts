import { randomUUID } from 'node:crypto';
import { failure, type Answered, type Fields, type StripeStandInAccount } from './stripeAccounts';

/** The platform of the stand-in for Stripe, below which it opens accounts (Stripe Connect). */

export const platformKeys = { secretKey: 'sk_test_platform', publishableKey: 'pk_test_platform' };
export const platformSecret = 'whsec_platform';

/** The settings of a service with this platform. */
export const platformSettings = {
  STRIPE_CONNECT_SECRET_KEY: platformKeys.secretKey,
  STRIPE_CONNECT_PUBLISHABLE_KEY: platformKeys.publishableKey,
  STRIPE_CONNECT_WEBHOOK_SECRET: platformSecret,
};

export const isPlatform = (bearer: string) => Object.values(platformKeys).includes(bearer);

interface Asked {
  verb: string;
  path: string;
  fields: Fields;
}

/** Answers what a platform asks without naming an account in the header. Undefined for every other request. */
export function answerPlatform<Account extends StripeStandInAccount>(
  { verb, path, fields }: Asked,
  { open, find }: { open: () => Account; find: (id: string) => Account | undefined },
): Answered | undefined {
  const [, , kind, id = ''] = path.split('/');
  const route = `${verb} ${kind}${id === '' ? '' : ' {id}'}`;
  if (route === 'POST accounts')
    return { status: 200, body: shown(Object.assign(open(), { due: ['external_account'] })) };
  const account = find(route === 'POST account_links' ? String(fields['account']) : id);
  if (route !== 'POST account_links' && route !== 'GET accounts {id}') return undefined;
  if (!account?.isAuthorized) return revoked;
  if (route === 'GET accounts {id}') return { status: 200, body: shown(account) };
  const url = `https://connect.stripe.com/setup/${account.id}/${randomUUID()}`;
  return { status: 200, body: { object: 'account_link', url, return: fields['return_url'], expires_at: 1 } };
}

/** Stripe answers so for an account that has removed the platform, and for one that never had it. */
export const revoked = failure(403, {
  type: 'invalid_request_error',
  code: 'account_invalid',
  message: 'The provided key does not have access to the account. Application access may have been revoked.',
});

const shown = ({ id, takesPayments, hasAnswered, due }: StripeStandInAccount): Fields => ({
  id,
  object: 'account',
  charges_enabled: takesPayments && due.length === 0,
  details_submitted: hasAnswered,
  requirements: { currently_due: due, past_due: [] },
});
