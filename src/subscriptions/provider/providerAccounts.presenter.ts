import { type z } from 'zod';
import { unixSeconds } from '../../kit/time';
import { type ProviderAccount } from './providerAccounts.model';
import { type ProviderResponse } from './providerAccounts.schemas';

type Provider = z.output<typeof ProviderResponse>;

/** A merchant without an account of its own. */
const withoutAccount = {
  provider: null,
  account: null,
  mode: null,
  publishable_key: null,
  secret_key: null,
  notification_url: null,
  checked_at: null,
} as const;

interface ProviderState {
  current: ProviderAccount | undefined;
  former: readonly ProviderAccount[];
  /** Who takes the money without an account of the merchant. */
  otherwise: Exclude<Provider['source'], 'own'>;
  notificationUrlOf: (account: ProviderAccount) => string;
}

export function presentProvider({ current, former, otherwise, notificationUrlOf }: ProviderState): Provider {
  const former_accounts = former.map((account) => ({ account: accountIdOf(account), mode: modeOf(account) }));
  if (!current)
    return { source: otherwise, can_sell: otherwise !== 'none', ...withoutAccount, problems: [], former_accounts };
  return {
    source: 'own',
    can_sell: true,
    provider: 'stripe',
    account: accountIdOf(current),
    mode: modeOf(current),
    publishable_key: current.publishableKey,
    secret_key: `…${current.keyEnding}`,
    notification_url: notificationUrlOf(current),
    problems: current.problems,
    checked_at: unixSeconds(current.checkedAt),
    former_accounts,
  };
}

/** `acct_…` of `stripe:acct_…`. */
const accountIdOf = ({ name }: ProviderAccount) => name.slice(name.indexOf(':') + 1);

const modeOf = ({ isLive }: ProviderAccount): 'live' | 'test' => (isLive ? 'live' : 'test');
