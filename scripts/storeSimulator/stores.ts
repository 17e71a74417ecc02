import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type StoreName } from '../../src/adapters/appStores/store';
import { createAmazonFace, type AmazonApp, type AmazonFace } from './amazon';
import { createAppleFace, type AppleApp, type AppleFace } from './apple';
import { createGooglePlayFace, type GooglePlayApp, type GooglePlayFace } from './googlePlay';
import { type SimulatedPurchase } from './market';
import { createRokuFace, type RokuApp, type RokuFace } from './roku';
import { storeSettings } from './settings';
import { startSimulator, type Simulator } from './simulator';

/** The four stores, and what a merchant's app on a device does with them. */
export interface Stores {
  simulator: Simulator;
  /** Settings that make the product ask these instead of the real ones. */
  environment: Record<string, string>;
  apple: AppleFace;
  googlePlay: GooglePlayFace;
  amazon: AmazonFace;
  roku: RokuFace;
}

/** `rootsFile`: where the certificate is written that Apple's signatures lead back to. */
export async function startStores({ rootsFile, port = 0 }: { rootsFile: string; port?: number }): Promise<Stores> {
  const faces: Partial<Stores> = {};
  const simulator = await startSimulator(
    (market, url) => [
      (faces.apple = createAppleFace(market)),
      (faces.googlePlay = createGooglePlayFace(market, url)),
      (faces.amazon = createAmazonFace(market, url)),
      (faces.roku = createRokuFace(market)),
    ],
    port,
  );
  const { apple, googlePlay, amazon, roku } = faces;
  if (!apple || !googlePlay || !amazon || !roku) throw new Error('a store is missing');
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

/** What `PUT /stores/{platform}` takes for each app. */
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

/** Another app in one store: by which name it is bought in, and what its merchant has of the store. */
export function registerApp(stores: Stores, store: StoreName): { app: string; credentials: StoreApps[StoreName] } {
  const faces = { apple: stores.apple, 'google-play': stores.googlePlay, amazon: stores.amazon, roku: stores.roku };
  const credentials = faces[store].registerApp();
  return { app: appNames[store]({ [store]: credentials } as unknown as StoreApps), credentials };
}

/** By which name each app is bought in. */
export const appNames = {
  apple: ({ apple }: StoreApps) => apple.bundleId,
  'google-play': (apps: StoreApps) => apps['google-play'].packageName,
  amazon: ({ amazon }: StoreApps) => amazon.packageName,
  roku: ({ roku }: StoreApps) => roku.channelId,
} satisfies Record<StoreName, (apps: StoreApps) => string>;

/** What the app on the device has in its hand after it bought. */
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
