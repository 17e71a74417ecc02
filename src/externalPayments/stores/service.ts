import { type z } from 'zod';
import { appOf, openStore } from '../../adapters/appStores';
import { type StoreCredentials } from '../../adapters/appStores/credentials';
import { type AppStore, storeNames, type StoreName } from '../../adapters/appStores/store';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { seal, unseal } from '../../adapters/sealing';
import { environmentName } from '../../adapters/settings';
import { actorOf, writeAudit } from '../../audit/service';
import { type Caller } from '../../kit/auth';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { definedFields } from '../../kit/fields';
import { message } from '../../kit/page';
import { listCredentialsOfApp, StoreCredentialsRow, StoreSettings } from './model';
import { presentStore } from './presenter';
import {
  type AmazonBody,
  type AppleBody,
  type GooglePlayBody,
  type RokuBody,
  type StoreSettingsBody,
  type StoreSettingsResponse,
} from './schemas';

const purpose = 'store-credentials';

/** What people call each store. */
export const storeTitles: Record<StoreName, string> = {
  apple: 'App Store',
  'google-play': 'Google Play',
  amazon: 'Amazon Appstore',
  roku: 'Roku Channel Store',
};

/** Of a store by its name in a row; another name is told as it is. */
export function titleOfStore(name: string): string {
  return Object.entries(storeTitles).find(([store]) => store === name)?.[1] ?? name;
}

/** The numbers of the stores among payment providers and methods: what a fee's `external_fees` may say. */
export const storeProviderIds: Record<StoreName, number> = { apple: 3, 'google-play': 4, amazon: 5, roku: 6 };

/** The stores that a merchant sells in, as ways to pay. */
export async function listStoreMethods(merchantId: number) {
  const rows = await StoreCredentialsRow.findAll({ where: { merchantId }, attributes: ['store'] });
  const set = new Set(rows.map(({ store }) => store));
  const sold = storeNames.filter((name) => set.has(name));
  return sold.map((name) => ({ id: storeProviderIds[name], method_name: storeTitles[name], is_external: true }));
}

/** Which stores are set up, and for which app; never a secret. */
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

/** Sealed with the key of the environment; what was there before is gone. */
async function setStore(caller: Caller, given: StoreCredentials, { requestId }: RequestFacts) {
  const { merchantId } = caller;
  const { store, credentials } = given;
  const sealedCredentials = seal(purpose, JSON.stringify(credentials));
  const row = { merchantId, store, ...appOf(given), sealedCredentials, updatedAt: new Date() };
  await transaction(async (inTransaction) => {
    await StoreCredentialsRow.upsert(row, { transaction: inTransaction });
    const deed = { action: 'store_credentials.set', objectType: 'store', objectId: store, requestId } as const;
    await writeAudit(inTransaction, { ...actorOf(caller), ...deed });
  });
  return presentStore(store, await getRow(merchantId, store));
}

/** Purchases that were made stay; the store is asked about them no more until it is set up again. */
export async function deleteStore(caller: Caller, store: StoreName, { requestId }: RequestFacts) {
  const row = await getRow(caller.merchantId, store);
  await transaction(async (inTransaction) => {
    await row.destroy({ transaction: inTransaction });
    const deed = { action: 'store_credentials.delete', objectType: 'store', objectId: store, requestId } as const;
    await writeAudit(inTransaction, { ...actorOf(caller), ...deed });
  });
  return message('Store successfully deleted');
}

/** Asks the store something harmless, and says which field is wrong. */
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

/** A merchant's store; undefined when it has not set it up. */
export async function findStore(merchantId: number, store: StoreName): Promise<AppStore | undefined> {
  const row = await StoreCredentialsRow.findOne({ where: { merchantId, store } });
  return row ? openSealed(store, row.sealedCredentials) : undefined;
}

/** The stores of all merchants whose app a notification says that it is of. */
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
  // Sealed by `setStore`, whose types tied the credentials to the store.
  return openStore({ store, credentials: JSON.parse(text) as never }, timeoutMs);
}

export interface Settings {
  transferPolicy: 'keep' | 'transfer_if_inactive' | 'transfer';
  /** Whether purchases of the stores' sandboxes count here. */
  takesSandbox: boolean;
}

/** In the test environment the sandboxes' purchases always count. */
export async function getSettings(merchantId: number, inTransaction?: Transaction): Promise<Settings> {
  const row = await StoreSettings.findByPk(merchantId, inTransaction && { transaction: inTransaction });
  const takesSandbox = environmentName === 'test' || row?.sandboxPurchases === true;
  return { transferPolicy: row?.transferPolicy ?? 'keep', takesSandbox };
}

export async function getStoreSettings(caller: Caller): Promise<z.output<typeof StoreSettingsResponse>> {
  const row = await StoreSettings.findByPk(caller.merchantId);
  return { transfer_policy: row?.transferPolicy ?? 'keep', sandbox_purchases: row?.sandboxPurchases ?? false };
}

export async function updateStoreSettings(
  caller: Caller,
  input: z.output<typeof StoreSettingsBody>,
  { requestId }: RequestFacts,
) {
  const { merchantId } = caller;
  const { transfer_policy: transferPolicy, sandbox_purchases: sandboxPurchases } = input;
  const changes = definedFields({ transferPolicy, sandboxPurchases });
  await transaction(async (inTransaction) => {
    await StoreSettings.upsert({ merchantId, ...changes, updatedAt: new Date() }, { transaction: inTransaction });
    const deed = { action: 'store_settings.update', objectType: 'merchant', objectId: merchantId, requestId } as const;
    await writeAudit(inTransaction, { ...actorOf(caller), ...deed });
  });
  return getStoreSettings(caller);
}
