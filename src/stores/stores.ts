import { type z } from 'zod';
import { appOf, openStore } from '../adapters/appStores';
import { type StoreCredentials } from '../adapters/appStores/credentials';
import { type AppStore, storeNames, type StoreName } from '../adapters/appStores/store';
import { transaction, type Transaction } from '../adapters/postgres/connection';
import { seal, unseal } from '../adapters/sealing';
import { environmentName } from '../adapters/settings';
import { audit } from '../audit/audit';
import { type Caller } from '../kit/auth';
import { type RequestFacts } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import { definedFields } from '../kit/fields';
import { message } from '../kit/page';
import { listCredentialsOfApp, StoreCredentialsRow, StoreSettings } from './stores.model';
import { presentStore } from './stores.presenter';
import {
  type AmazonBody,
  type AppleBody,
  type GooglePlayBody,
  type RokuBody,
  type StoreSettingsBody,
  type StoreSettingsResponse,
} from './stores.schemas';

const purpose = 'store-credentials';

/** The name of each store as people know it. */
export const storeTitles: Record<StoreName, string> = {
  apple: 'App Store',
  'google-play': 'Google Play',
  amazon: 'Amazon Appstore',
  roku: 'Roku Channel Store',
};

/** The title of a store by its stored name; an unknown name is returned as it is. */
export function titleOfStore(name: string): string {
  return Object.entries(storeTitles).find(([store]) => store === name)?.[1] ?? name;
}

/** The stores' numbers among payment providers and methods, as used in a fee's `external_fees`. */
export const storeProviderIds: Record<StoreName, number> = { apple: 3, 'google-play': 4, amazon: 5, roku: 6 };

/** The stores that a merchant has set up, as payment methods. */
export async function listStoreMethods(merchantId: number) {
  const rows = await StoreCredentialsRow.findAll({ where: { merchantId }, attributes: ['store'] });
  const set = new Set(rows.map(({ store }) => store));
  const sold = storeNames.filter((name) => set.has(name));
  return sold.map((name) => ({ id: storeProviderIds[name], method_name: storeTitles[name], is_external: true }));
}

/** Lists which stores are set up and for which app, without secrets. */
export async function listStores(caller: Caller) {
  const rows = await StoreCredentialsRow.findAll({ where: { merchantId: caller.merchantId } });
  const collection = storeNames.map((name) =>
    presentStore(
      name,
      rows.find(({ store }) => store === name),
    ),
  );
  return { collection };
}

export function setApple(caller: Caller, input: z.output<typeof AppleBody>, request: RequestFacts) {
  const { bundle_id: bundleId, app_apple_id: appAppleId, issuer_id: issuerId, key_id: keyId } = input;
  const credentials = { bundleId, appAppleId, issuerId, keyId, privateKey: input.private_key };
  return setStore(caller, { store: 'apple', credentials }, request);
}

export function setGooglePlay(caller: Caller, input: z.output<typeof GooglePlayBody>, request: RequestFacts) {
  const { package_name: packageName, client_email: clientEmail, private_key: privateKey } = input;
  const { push_service_account: pushServiceAccount, push_audience: pushAudience } = input;
  const credentials = { packageName, clientEmail, privateKey, pushServiceAccount, pushAudience };
  return setStore(caller, { store: 'google-play', credentials }, request);
}

export function setAmazon(caller: Caller, input: z.output<typeof AmazonBody>, request: RequestFacts) {
  const { package_name: packageName, shared_secret: sharedSecret, topic_arn: topicArn } = input;
  return setStore(caller, { store: 'amazon', credentials: { packageName, sharedSecret, topicArn } }, request);
}

export function setRoku(caller: Caller, input: z.output<typeof RokuBody>, request: RequestFacts) {
  const { partner_api_key: partnerApiKey, channel_id: channelId } = input;
  return setStore(caller, { store: 'roku', credentials: { partnerApiKey, channelId } }, request);
}

/** Seals the credentials with the environment's key and replaces earlier ones. */
async function setStore(caller: Caller, given: StoreCredentials, { requestId }: RequestFacts) {
  const { merchantId } = caller;
  const { store, credentials } = given;
  const sealedCredentials = seal(purpose, JSON.stringify(credentials));
  const row = { merchantId, store, ...appOf(given), sealedCredentials, updatedAt: new Date() };
  await transaction(async (inTransaction) => {
    await StoreCredentialsRow.upsert(row, { transaction: inTransaction });
    await audit(inTransaction, caller, { action: 'store_credentials.set', object: ['store', store], requestId });
  });
  return presentStore(store, await getRow(merchantId, store));
}

/** Existing purchases stay. They are not checked until the store is set up again. */
export async function deleteStore(caller: Caller, store: StoreName, { requestId }: RequestFacts) {
  const row = await getRow(caller.merchantId, store);
  await transaction(async (inTransaction) => {
    await row.destroy({ transaction: inTransaction });
    await audit(inTransaction, caller, { action: 'store_credentials.delete', object: ['store', store], requestId });
  });
  return message('Store successfully deleted');
}

/** Makes a harmless request to the store and reports which field is wrong. */
export async function testStore(caller: Caller, store: StoreName) {
  await getRow(caller.merchantId, store);
  const opened = await findStore(caller.merchantId, store);
  const problems = (await opened?.testCredentials()) ?? [unreadable];
  return { is_valid: problems.length === 0, problems };
}

const unreadable = { field: 'platform', message: 'The credentials were sealed with another key: set them again.' };

async function getRow(merchantId: number, store: StoreName): Promise<StoreCredentialsRow> {
  const row = await StoreCredentialsRow.findOne({ where: { merchantId, store } });
  if (!row) throw new AppError('store_not_configured');
  return row;
}

/** A merchant's store; undefined if it is not set up. */
export async function findStore(merchantId: number, store: StoreName): Promise<AppStore | undefined> {
  const row = await StoreCredentialsRow.findOne({ where: { merchantId, store } });
  return row ? openSealed(store, row.sealedCredentials) : undefined;
}

/** The stores of all merchants whose app a notification names. */
export async function listStoresOfApp(
  store: StoreName,
  claimed: { app?: string | undefined; topic?: string | undefined },
  timeoutMs: number,
): Promise<{ merchantId: number; store: AppStore }[]> {
  if (claimed.app === undefined && claimed.topic === undefined) return [];
  const rows = await listCredentialsOfApp(store, claimed.app, claimed.topic);
  return rows.flatMap(({ merchantId, sealedCredentials }) => {
    const opened = openSealed(store, sealedCredentials, timeoutMs);
    return opened ? [{ merchantId, store: opened }] : [];
  });
}

function openSealed(store: StoreName, sealed: Buffer, timeoutMs?: number): AppStore | undefined {
  const text = unseal(purpose, sealed);
  if (text === undefined) return undefined;
  // `setStore` sealed these credentials, and its types tie them to the store.
  return openStore({ store, credentials: JSON.parse(text) as never }, timeoutMs);
}

export interface Settings {
  transferPolicy: 'keep' | 'transfer_if_inactive' | 'transfer';
  /** Sandbox purchases count. */
  takesSandbox: boolean;
  /** The app may name the fee of a product that no fee is mapped to. */
  opensUnmapped: boolean;
  /** Whether a purchase's consumption data may be sent to Apple. */
  sharesConsumption: boolean;
}

/** In the test environment sandbox purchases always count. */
export async function getSettings(merchantId: number, inTransaction?: Transaction): Promise<Settings> {
  const row = await StoreSettings.findByPk(merchantId, inTransaction && { transaction: inTransaction });
  const takesSandbox = environmentName === 'test' || row?.sandboxPurchases === true;
  const opensUnmapped = row?.unmappedProducts ?? false;
  const sharesConsumption = row?.consumptionConsent ?? false;
  return { transferPolicy: row?.transferPolicy ?? 'keep', takesSandbox, opensUnmapped, sharesConsumption };
}

export async function getStoreSettings(caller: Caller): Promise<z.output<typeof StoreSettingsResponse>> {
  const row = await StoreSettings.findByPk(caller.merchantId);
  return {
    transfer_policy: row?.transferPolicy ?? 'keep',
    sandbox_purchases: row?.sandboxPurchases ?? false,
    unmapped_products: row?.unmappedProducts ?? false,
    consumption_consent: row?.consumptionConsent ?? false,
  };
}

export async function updateStoreSettings(
  caller: Caller,
  input: z.output<typeof StoreSettingsBody>,
  { requestId }: RequestFacts,
) {
  const { merchantId } = caller;
  const { transfer_policy: transferPolicy, sandbox_purchases: sandboxPurchases } = input;
  const { unmapped_products: unmappedProducts, consumption_consent: consumptionConsent } = input;
  const changes = definedFields({ transferPolicy, sandboxPurchases, unmappedProducts, consumptionConsent });
  await transaction(async (inTransaction) => {
    await StoreSettings.upsert({ merchantId, ...changes, updatedAt: new Date() }, { transaction: inTransaction });
    await audit(inTransaction, caller, {
      action: 'store_settings.update',
      object: ['merchant', merchantId],
      requestId,
    });
  });
  return getStoreSettings(caller);
}
