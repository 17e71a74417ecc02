import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type StoreName } from '../../src/adapters/appStores/store';
import { AmazonFace, type AmazonApp } from './amazon';
import { AppleFace, type AppleApp } from './apple';
import { GooglePlayFace, type GooglePlayApp } from './googlePlay';
import { Market } from './market';
import { type SimulatedPurchase } from './purchase';
import { RokuFace, type RokuApp } from './roku';
import { storeSettings } from './settings';
import { startSimulator, type Simulator } from './simulator';

/** The four stores, and the actions of a merchant's app on a device. */
export interface Stores {
  simulator: Simulator;
  /** Settings with which the product uses these stores instead of the real ones. */
  environment: Record<string, string>;
  apple: AppleFace;
  googlePlay: GooglePlayFace;
  amazon: AmazonFace;
  roku: RokuFace;
}

/** `rootsFile`: the file to which Apple's root certificate is written. */
export async function startStores({ rootsFile, port = 0 }: { rootsFile: string; port?: number }): Promise<Stores> {
  const market = new Market();
  const url = () => simulator.url;
  const apple = new AppleFace(market);
  const googlePlay = new GooglePlayFace(market, url);
  const amazon = new AmazonFace(market, url);
  const roku = new RokuFace(market);
  const simulator = await startSimulator(market, [apple, googlePlay, amazon, roku], port);
  const lines = apple.rootCertificate.toString('base64').match(/.{1,64}/g) ?? [];
  await mkdir(dirname(rootsFile), { recursive: true });
  await writeFile(rootsFile, ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'));
  const environment = storeSettings(simulator.url, rootsFile);
  return { simulator, environment, apple, googlePlay, amazon, roku };
}

export interface StoreApps {
  apple: AppleApp;
  'google-play': GooglePlayApp;
  amazon: AmazonApp;
  roku: RokuApp;
}

/** The fields of `PUT /stores/{platform}` for each app. */
export const storeFields = {
  apple: ({ bundleId, appAppleId, issuerId, keyId, privateKey }: AppleApp) => ({
    bundle_id: bundleId,
    app_apple_id: appAppleId,
    issuer_id: issuerId,
    key_id: keyId,
    private_key: privateKey,
  }),
  'google-play': (app: GooglePlayApp) => ({
    package_name: app.packageName,
    client_email: app.clientEmail,
    private_key: app.privateKey,
    push_service_account: app.pushServiceAccount,
    push_audience: app.pushAudience,
  }),
  amazon: ({ packageName, sharedSecret, topicArn }: AmazonApp) => ({
    package_name: packageName,
    shared_secret: sharedSecret,
    topic_arn: topicArn,
  }),
  roku: ({ partnerApiKey, channelId }: RokuApp) => ({ partner_api_key: partnerApiKey, channel_id: channelId }),
};

export function registerApps({ apple, googlePlay, amazon, roku }: Stores): StoreApps {
  return {
    apple: apple.registerApp(),
    'google-play': googlePlay.registerApp(),
    amazon: amazon.registerApp(),
    roku: roku.registerApp(),
  };
}

/** Registers another app in a store, by its name and the merchant's credentials. */
export function registerApp(stores: Stores, store: StoreName): { app: string; credentials: StoreApps[StoreName] } {
  const faces = { apple: stores.apple, 'google-play': stores.googlePlay, amazon: stores.amazon, roku: stores.roku };
  const credentials = faces[store].registerApp();
  return { app: appNames[store]({ [store]: credentials } as unknown as StoreApps), credentials };
}

/** The name of each app in its store. */
export const appNames = {
  apple: ({ apple }: StoreApps) => apple.bundleId,
  'google-play': (apps: StoreApps) => apps['google-play'].packageName,
  amazon: ({ amazon }: StoreApps) => amazon.packageName,
  roku: ({ roku }: StoreApps) => roku.channelId,
} satisfies Record<StoreName, (apps: StoreApps) => string>;

/** The receipt that the app on the device receives after a purchase. */
export function receiptOf(stores: Stores, purchase: SimulatedPurchase): Record<string, string> {
  switch (purchase.store) {
    case 'apple':
      return { receipt: stores.apple.signedTransaction(purchase) };
    case 'google-play':
      return { receipt: stores.googlePlay.purchaseObject(purchase) };
    case 'amazon':
      return { receipt: stores.amazon.receiptId(purchase), amazon_user_id: purchase.user };
    case 'roku':
      return { receipt: stores.roku.transactionId(purchase) };
  }
}
