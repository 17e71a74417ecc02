import { cardProvider, openStripe } from '../../adapters/cardProviders';
import { createDisconnected, createUnreadable } from '../../adapters/cardProviders/disconnected';
import { type CardProvider } from '../../adapters/cardProviders/provider';
import { logger } from '../../adapters/logger';
import { type Transaction } from '../../adapters/postgres/connection';
import { seal, unseal } from '../../adapters/sealing';
import {
  findAccountOfUuid,
  findCurrentAccount,
  findNamedAccount,
  listConnectedAccounts,
  type ConnectedAccount,
} from './providerAccounts.model';

/**
 * Which account takes a merchant's money: the account that the merchant has connected, or else that of the installation.
 * A card and its charges stay with the account that they were made in.
 */

/** The provider of a merchant's new payments. */
export async function getProvider(merchantId: number, inTransaction?: Transaction): Promise<CardProvider> {
  const account = await findCurrentAccount(merchantId, inTransaction);
  return account ? open(account) : cardProvider;
}

/** The provider of a card or a charge. `provider`: `cards.provider`; null if the charge had no card. */
export async function getProviderOf(
  { merchantId, provider }: ProvidedObject,
  inTransaction?: Transaction,
): Promise<CardProvider> {
  if (provider === null) return getProvider(merchantId, inTransaction);
  if (provider === cardProvider.name) return cardProvider;
  const account = await findNamedAccount({ merchantId, name: provider }, inTransaction);
  return account ? open(account) : createDisconnected(provider);
}

/** A card, a charge, or a payment that was found at a provider. */
export interface ProvidedObject {
  merchantId: number;
  /** The name of the account. */
  provider: string | null;
}

/** A provider, and the merchant that owns its account; without a merchant it is the account of the installation. */
export interface OwnedProvider {
  provider: CardProvider;
  merchantId?: number;
}

/** The provider that sends its notifications to an address with this uuid; undefined if the address is not valid. */
export async function findProviderOfUuid(uuid: string): Promise<Required<OwnedProvider> | undefined> {
  const account = await findAccountOfUuid(uuid);
  return account && { provider: open(account), merchantId: account.merchantId };
}

/** The account of the installation, and the accounts of all merchants. */
export async function listProviders(): Promise<OwnedProvider[]> {
  const accounts = await listConnectedAccounts();
  const own = accounts.map((account) => ({ provider: open(account), merchantId: account.merchantId }));
  return cardProvider.isConnected === false ? own : [{ provider: cardProvider }, ...own];
}

/** The secret part of an account. */
export interface AccountKeys {
  secretKey: string;
  /** Empty: the account sends no notifications. */
  webhookSecret: string;
}

const purpose = 'provider account';

export const sealKeys = (keys: AccountKeys): Buffer => seal(purpose, JSON.stringify(keys));

/** Undefined if the keys were sealed with another ENCRYPTION_KEY. */
export function unsealKeys(sealedKeys: Buffer): AccountKeys | undefined {
  const text = unseal(purpose, sealedKeys);
  // `sealKeys` wrote the text.
  return text === undefined ? undefined : (JSON.parse(text) as AccountKeys);
}

/** A client is made once for the keys of an account. */
const opened = new Map<number, { sealedKeys: Buffer; publishableKey: string; provider: CardProvider }>();
const openedMax = 1_000;

function open({ id, name, publishableKey, sealedKeys }: ConnectedAccount): CardProvider {
  const known = opened.get(id);
  if (known?.publishableKey === publishableKey && known.sealedKeys.equals(sealedKeys)) return known.provider;
  const keys = unsealKeys(sealedKeys);
  if (!keys) {
    logger.error({ provider: name }, 'the keys of a payment account were sealed with another ENCRYPTION_KEY');
    return createUnreadable(name);
  }
  if (opened.size >= openedMax) opened.clear();
  const provider = openStripe({ name, publishableKey, ...keys });
  opened.set(id, { sealedKeys, publishableKey, provider });
  return provider;
}
