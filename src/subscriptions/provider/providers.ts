import {
  cardProvider,
  connectPlatform,
  isForAllMerchants,
  openConnected,
  openStripe,
} from '../../adapters/cardProviders';
import { createDisconnected, createHeld, createUnreadable } from '../../adapters/cardProviders/disconnected';
import { type CardProvider } from '../../adapters/cardProviders/provider';
import { logger } from '../../adapters/logger';
import { type Transaction } from '../../adapters/postgres/connection';
import { seal, unseal } from '../../adapters/sealing';
import {
  findAccountOfUuid,
  findCurrentAccount,
  findFirstMerchant,
  findNamedAccount,
  findOnlyMerchant,
  listConnectedAccounts,
  type ConnectedAccount,
} from './providerAccounts.model';

/**
 * The account that takes a merchant's money: the account that the merchant has connected, or else that of the
 * installation. A card and its charges stay with their account.
 */

/** The provider of a merchant's new payments. */
export async function getProvider(merchantId: number, inTransaction?: Transaction): Promise<CardProvider> {
  const account = await findCurrentAccount(merchantId, inTransaction);
  if (!account) return (await sharesAccount(merchantId)) ? cardProvider : createDisconnected('none');
  const { name, connectState } = account;
  if (connectState === null || connectState === 'active') return open(account);
  return createHeld(name, 'The payment account cannot take payments.');
}

let firstMerchant: number | undefined;

/**
 * Whether a merchant without an account uses that of the installation. A real account belongs to the first merchant, unless
 * the operator lets all merchants use it: nobody sells on the account of somebody else by accident.
 */
export async function sharesAccount(merchantId: number): Promise<boolean> {
  if (isForAllMerchants) return true;
  firstMerchant ??= await findFirstMerchant();
  return firstMerchant === merchantId;
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

/** A provider and the merchant that owns its account. Without a merchant it is the account of the installation. */
export interface OwnedProvider {
  provider: CardProvider;
  merchantId?: number;
}

/** The provider whose notification address contains this uuid. Undefined if the address is not valid. */
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

/**
 * The merchant that gets the payouts of an account. `ownerId`: its merchant; 0 for the account of the installation, which is
 * the only merchant's, or the first one's if no other merchant may use it. Undefined if merchants share the account.
 */
export async function findPayee(ownerId: number): Promise<number | undefined> {
  if (ownerId !== 0) return ownerId;
  return isForAllMerchants ? findOnlyMerchant() : findFirstMerchant();
}

/** The secret part of an account. */
export interface AccountKeys {
  secretKey: string;
  /** Empty: the account sends no notifications. */
  webhookSecret: string;
}

const purpose = 'provider account';

export const sealKeys = (keys: AccountKeys): Buffer => seal(purpose, JSON.stringify(keys));

/** Undefined if the keys were encrypted with another ENCRYPTION_KEY. */
export function unsealKeys(sealedKeys: Buffer): AccountKeys | undefined {
  const text = unseal(purpose, sealedKeys);
  // `sealKeys` wrote the text.
  return text === undefined ? undefined : (JSON.parse(text) as AccountKeys);
}

/** The clients of accounts, each created once for its keys. */
const opened = new Map<number, { sealedKeys: Buffer | null; publishableKey: string; provider: CardProvider }>();
const openedMax = 1_000;

export function open(account: ConnectedAccount): CardProvider {
  const { id, publishableKey, sealedKeys, connectState } = account;
  if (connectState === 'deauthorized')
    return createHeld(account.name, 'The merchant has removed the platform at Stripe.');
  const known = opened.get(id);
  if (known?.publishableKey === publishableKey && isEqual(known.sealedKeys, sealedKeys)) return known.provider;
  const provider = connectState === null ? openWithKeys(account) : openBelowPlatform(account);
  if (provider.isConnected === false) return provider;
  if (opened.size >= openedMax) opened.clear();
  opened.set(id, { sealedKeys, publishableKey, provider });
  return provider;
}

const isEqual = (one: Buffer | null, other: Buffer | null) =>
  one === null || other === null ? one === other : one.equals(other);

function openWithKeys({ name, publishableKey, sealedKeys }: ConnectedAccount): CardProvider {
  const keys = sealedKeys ? unsealKeys(sealedKeys) : undefined;
  if (keys) return openStripe({ name, publishableKey, ...keys });
  logger.error({ provider: name }, 'the keys of a payment account were sealed with another ENCRYPTION_KEY');
  return createUnreadable(name);
}

function openBelowPlatform({ name }: ConnectedAccount): CardProvider {
  if (connectPlatform) return openConnected(connectPlatform, { name, accountId: accountIdOf(name) });
  logger.error({ provider: name }, 'a payment account needs the settings of Stripe Connect');
  return createHeld(name, 'The platform of this payment account is not configured.');
}

/** `acct_…` of `stripe:acct_…`. */
export const accountIdOf = (name: string) => name.slice(name.indexOf(':') + 1);
