import { z } from 'zod';
import { connectStates } from '../../kit/connectStates';
import { formText } from '../../kit/form';

const keyOf = (pattern: RegExp, rule: string) => formText({ max: 250 }).pipe(z.string().regex(pattern, rule));

/** `webhook_secret`: for a webhook endpoint that was added by hand. Otherwise the service adds one at Stripe. */
export const ProviderBody = z.object({
  provider: z.literal('stripe').optional(),
  publishable_key: keyOf(/^pk_(live|test)_\w+$/, 'must begin with pk_live_ or pk_test_'),
  secret_key: keyOf(/^[sr]k_(live|test)_\w+$/, 'must begin with sk_live_, sk_test_, rk_live_ or rk_test_'),
  webhook_secret: keyOf(/^whsec_\w+$/, 'must begin with whsec_').optional(),
});

/** `account`: a former account. */
export const ProviderQuery = z.object({
  account: formText({ max: 100 })
    .pipe(z.string().regex(/^acct_\w+$/, 'must begin with acct_'))
    .optional(),
});

export const NotificationPath = z.object({ account_uuid: z.uuid() });

const Problems = z.array(z.object({ field: z.string(), message: z.string() }));
const Mode = z.enum(['live', 'test']);

/**
 * The account that takes the merchant's money. `source`: `own` is an account that the merchant has connected,
 * `installation` the account of the operator, `sandbox` moves no money, and with `none` nothing can be sold. Secrets
 * are never returned: `secret_key` has the last four characters. `problems`: the problems that the last test found,
 * with the wrong field of each.
 */
export const ProviderResponse = z.object({
  source: z.enum(['own', 'installation', 'sandbox', 'none']),
  can_sell: z.boolean(),
  provider: z.literal('stripe').nullable(),
  /** `keys`: the merchant has entered the keys of the account. `connect`: the account is below the operator's platform. */
  kind: z.enum(['keys', 'connect']).nullable(),
  account: z.string().nullable(),
  mode: Mode.nullable(),
  publishable_key: z.string().nullable(),
  secret_key: z.string().nullable(),
  notification_url: z.string().nullable(),
  problems: Problems,
  checked_at: z.int().nullable(),
  /** Accounts that the merchant used before. Renewals with their cards and refunds still go there. */
  former_accounts: z.array(z.object({ account: z.string(), mode: Mode })),
  /** The installation has a platform (Stripe Connect), below which the merchant can have an account. */
  connect_offered: z.boolean(),
  /**
   * The merchant's account below the platform. `onboarding`: questions of Stripe are open. `restricted`: Stripe lets it take
   * no payments. `deauthorized`: the merchant has removed the platform at Stripe. `missing`: the data that Stripe
   * still needs, in its own names.
   */
  connect: z
    .object({ account: z.string(), mode: Mode, state: z.enum(connectStates), missing: z.array(z.string()) })
    .nullable(),
});

/** `url`: the page at Stripe with the open questions. It can be opened once, within a few minutes. */
export const ConnectResponse = z.object({ url: z.url() });

/** `is_valid` is true if there are no problems. */
export const ProviderTestResponse = z.object({ is_valid: z.boolean(), problems: Problems });
