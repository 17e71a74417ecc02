import { type z } from 'zod';
import { unixSeconds } from '../../kit/time';
import { type ProviderAccount } from './providerAccounts.model';
import { type ProviderResponse } from './providerAccounts.schemas';

type Provider = z.output<typeof ProviderResponse>;

/** A merchant without its own account. */
const withoutAccount = {
  provider: null,
  kind: null,
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
  /** The source for a merchant without its own account. */
  otherwise: Exclude<Provider['source'], 'own'>;
  /** The merchant's account below the platform, whether it takes payments yet or not. */
  below: ProviderAccount | undefined;
  connectIsOffered: boolean;
  notificationUrlOf: (account: ProviderAccount) => string;
}

export function presentProvider(state: ProviderState): Provider {
  const { current, former, otherwise, below, connectIsOffered, notificationUrlOf } = state;
  const connect = { connect_offered: connectIsOffered, connect: below ? presentBelow(below) : null };
  const former_accounts = former.map((account) => ({ account: accountIdOf(account.name), mode: modeOf(account) }));
  if (!current) {
    const canSell = { source: otherwise, can_sell: otherwise !== 'none' };
    return { ...canSell, ...withoutAccount, problems: [], former_accounts, ...connect };
  }
  const isBelow = current.connectState !== null;
  return {
    source: 'own',
    can_sell: !isBelow || current.connectState === 'active',
    provider: 'stripe',
    kind: isBelow ? 'connect' : 'keys',
    account: accountIdOf(current.name),
    mode: modeOf(current),
    publishable_key: isBelow ? null : current.publishableKey,
    secret_key: isBelow ? null : `…${current.keyEnding}`,
    notification_url: isBelow ? null : notificationUrlOf(current),
    problems: current.problems,
    checked_at: unixSeconds(current.checkedAt),
    former_accounts,
    ...connect,
  };
}

const presentBelow = (account: ProviderAccount) => ({
  account: accountIdOf(account.name),
  mode: modeOf(account),
  state: account.connectState ?? 'onboarding',
  missing: account.missing,
});

const modeOf = ({ isLive }: ProviderAccount): 'live' | 'test' => (isLive ? 'live' : 'test');

/** `acct_…` of `stripe:acct_…`. */
const accountIdOf = (name: string) => name.slice(name.indexOf(':') + 1);
