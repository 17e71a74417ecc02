import Stripe from 'stripe';
import { AppError } from '../../kit/errors';
import { logger } from '../logger';
import { connect, type StripeAccess } from './stripeClient';

/** Sets up a merchant's own Stripe account: tests its keys, and registers the notifications and the wallet domain. */

export interface StripeKeys {
  secretKey: string;
  publishableKey: string;
}

/** Something that the merchant must correct, with the name of the field in the form and a text for the merchant. */
export interface AccountProblem {
  field: 'secret_key' | 'publishable_key' | 'webhook_secret' | 'account' | 'domain';
  message: string;
}

export interface AccountCheck {
  /** `acct_…`; undefined if the secret key is not accepted. */
  accountId: string | undefined;
  problems: AccountProblem[];
}

/**
 * The events that the service understands (`notificationOf` in ./stripeResults). The fields that it reads are the same in
 * every version of Stripe's API.
 */
export const stripeEvents = [
  'payment_intent.succeeded',
  'payment_intent.payment_failed',
  'payment_intent.canceled',
  'payment_intent.processing',
  'setup_intent.succeeded',
  'setup_intent.setup_failed',
  'setup_intent.canceled',
  'charge.refunded',
  'refund.created',
  'refund.updated',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
  'radar.early_fraud_warning.created',
  'payment_method.automatically_updated',
  'mandate.updated',
] as const satisfies Stripe.WebhookEndpointCreateParams.EnabledEvent[];

/** Tests both keys. Throws `service_unavailable` while Stripe does not answer, as the other functions do. */
export async function checkAccount(keys: StripeKeys, access: StripeAccess): Promise<AccountCheck> {
  const client = connect(keys.secretKey, access, 'interactive');
  const found = await asking('secret_key', () => client.accounts.retrieveCurrent());
  if ('problem' in found) return { accountId: undefined, problems: [found.problem] };
  const { id: accountId, charges_enabled: takesPayments } = found.answer;
  const problems = [
    await checkPublishableKey(client, keys, access),
    takesPayments ? undefined : ({ field: 'account', message: cannotCharge } as const),
  ];
  return { accountId, problems: problems.filter((problem) => problem !== undefined) };
}

const cannotCharge =
  'Stripe does not let this account take payments yet. Complete the account in the Stripe dashboard.';

/** A publishable key reads only what its own account made: here a setup intent that is canceled at once. */
async function checkPublishableKey(
  client: Stripe,
  { publishableKey }: StripeKeys,
  access: StripeAccess,
): Promise<AccountProblem | undefined> {
  const made = await asking('secret_key', () =>
    client.setupIntents.create({ allowed_payment_method_types: ['card'], usage: 'off_session' }),
  );
  if ('problem' in made) return made.problem;
  const { id, client_secret } = made.answer;
  const browser = connect(publishableKey, access, 'interactive');
  const read = await asking('publishable_key', () =>
    browser.setupIntents.retrieve(id, client_secret === null ? {} : { client_secret }),
  );
  await asking('secret_key', () => client.setupIntents.cancel(id));
  if (!('problem' in read)) return undefined;
  return read.isMissing ? { field: 'publishable_key', message: otherAccount } : read.problem;
}

const otherAccount = 'The publishable key belongs to another Stripe account than the secret key.';

/** A registration of our address for the events of an account. */
export interface Registration {
  id: string;
  /** Signs the notifications. */
  webhookSecret: string;
  /** Earlier registrations of the same address, which are deleted once the new secret is saved. */
  earlierIds: string[];
}

/** Registers our address for the events of the account. */
export async function registerNotifications(
  secretKey: string,
  url: string,
  access: StripeAccess,
): Promise<Registration | { problem: AccountProblem }> {
  const client = connect(secretKey, access, 'interactive');
  const registered = await asking('webhook_secret', async () => {
    const earlier = await listEndpoints(client, url);
    const endpoint = await client.webhookEndpoints.create({
      url,
      enabled_events: [...stripeEvents],
      description: 'Paywall',
    });
    return { id: endpoint.id, webhookSecret: endpoint.secret ?? '', earlierIds: earlier.map(({ id }) => id) };
  });
  return 'problem' in registered ? registered : registered.answer;
}

/** Never throws: Stripe signs what it sends to such a registration with a secret that is refused. */
export async function deleteRegistrations(
  secretKey: string,
  ids: readonly string[],
  access: StripeAccess,
): Promise<void> {
  const client = connect(secretKey, access, 'background');
  for (const id of ids)
    await client.webhookEndpoints.del(id).catch((error: unknown) => {
      logger.warn({ id, reason: (error as Error).message }, 'a webhook endpoint at Stripe was not deleted');
    });
}

/** Whether Stripe still sends its events to our address. */
export async function checkNotifications(
  secretKey: string,
  url: string,
  access: StripeAccess,
): Promise<AccountProblem | undefined> {
  const client = connect(secretKey, access, 'interactive');
  const found = await asking('webhook_secret', () => listEndpoints(client, url));
  if ('problem' in found) return found.problem;
  if (found.answer.some(({ status }) => status === 'enabled')) return undefined;
  return { field: 'webhook_secret', message: `Stripe sends no notifications to ${url}. Save the keys again.` };
}

async function listEndpoints(client: Stripe, url: string): Promise<Stripe.WebhookEndpoint[]> {
  const endpoints = await client.webhookEndpoints.list({ limit: 100 }).autoPagingToArray({ limit: 1_000 });
  return endpoints.filter((endpoint) => endpoint.url === url);
}

/** Registers the domain of our pages for Apple Pay, Google Pay and Link. */
export async function registerDomain(
  secretKey: string,
  domain: string,
  access: StripeAccess,
): Promise<AccountProblem | undefined> {
  const client = connect(secretKey, access, 'interactive');
  const registered = await asking('domain', async () => {
    const { data } = await client.paymentMethodDomains.list({ domain_name: domain });
    const known = data[0] ?? (await client.paymentMethodDomains.create({ domain_name: domain }));
    return known.apple_pay.status === 'active' ? known : client.paymentMethodDomains.validate(known.id);
  });
  if ('problem' in registered) return registered.problem;
  const { status, status_details: details } = registered.answer.apple_pay;
  if (status === 'active') return undefined;
  return { field: 'domain', message: `Apple Pay is not active for ${domain}. ${details?.error_message ?? ''}`.trim() };
}

type Asked<T> = { answer: T } | { problem: AccountProblem; isMissing: boolean };

/** A refusal of Stripe becomes a problem of the field. */
async function asking<T>(field: AccountProblem['field'], ask: () => Promise<T>): Promise<Asked<T>> {
  try {
    return { answer: await ask() };
  } catch (error) {
    const { StripeAuthenticationError, StripeInvalidRequestError, StripePermissionError } = Stripe.errors;
    if (error instanceof StripeAuthenticationError)
      return { problem: { field, message: 'Stripe does not accept this key.' }, isMissing: false };
    if (error instanceof StripePermissionError || error instanceof StripeInvalidRequestError)
      return { problem: { field, message: error.message }, isMissing: error.statusCode === 404 };
    if (error instanceof Stripe.errors.StripeError)
      throw new AppError('service_unavailable', { explain: 'Stripe does not answer', retryAfterSeconds: 5 });
    throw error;
  }
}
