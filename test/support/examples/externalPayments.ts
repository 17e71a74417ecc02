import { randomUUID } from 'node:crypto';
import { type StoreName } from '../../../src/adapters/appStores/store';
import { type Person } from '../factories';
import { buyIn, registerApps, setStore, startStores, storeFields, type StoreApps, type Stores } from '../stores';
import { type World } from '../world';
import { type Example, type Examples } from './example';

let starting: Promise<Stores> | undefined;

/** Simulated stores, which the product asks from now on. They end with the process. */
function openStores(): Promise<Stores> {
  starting ??= startStores().then(async (stores) => {
    stores.simulator.unref();
    const { config } = await import('../../../src/config.js');
    // The encryption key of the process stays.
    Object.assign(config, { ...stores.environment, ENCRYPTION_KEY: config.ENCRYPTION_KEY });
    return stores;
  });
  return starting;
}

const settingUp = new Map<string, Promise<StoreApps>>();

/** The merchant's apps, set up once. */
function appsOf({ app }: World, merchant: Person, stores: Stores): Promise<StoreApps> {
  const known = settingUp.get(merchant.uuid);
  if (known) return known;
  const setting = (async () => {
    const apps = registerApps(stores);
    for (const store of Object.keys(apps) as StoreName[]) await setStore(app, merchant, apps, store);
    return apps;
  })();
  settingUp.set(merchant.uuid, setting);
  return setting;
}

const claim: Example = {
  request: ({ item, fee }) => ({
    params: { platform: 'roku' },
    body: { receipt: randomUUID(), item_id: item.id, access_fee_id: fee.id, product_name: 'monthly' },
  }),
  owned: { 'body.item_id': 'merchant', 'body.access_fee_id': 'merchant' },
  unowned: {
    'params.platform': 'one of four stores',
    'body.branding_id': 'a name of the app’s own: the default theme serves any other',
    'body.amazon_user_id': 'the store’s name of its buyer',
  },
  roomy: ['receipt'],
};

const setting = (store: StoreName, unowned: Record<string, string> = {}): Example => ({
  request: async () => {
    const apps = registerApps(await openStores());
    return { body: storeFields[store](apps[store] as never) };
  },
  unowned,
});

const appStore = 'the store’s name of the merchant’s own account or app';

/** A notification of the store about a purchase. */
const notification = (store: StoreName): Example => ({
  request: async (world) => {
    const stores = await openStores();
    const apps = await appsOf(world, world.merchant, stores);
    const purchase = buyIn(stores, apps, store, 'monthly');
    const face = [stores.apple, stores.googlePlay, stores.amazon, stores.roku].find((one) => one.store === store);
    const sending = face?.notify({ id: randomUUID(), what: 'bought', at: purchase.changedAt, purchase });
    if (!sending) throw new Error('the store tells nothing');
    return { raw: sending.body, headers: sending.headers };
  },
});

export const externalPaymentExamples: Examples = {
  validateExternalPayment: claim,
  validateExternalPaymentV2: claim,
  notifyApple: notification('apple'),
  notifyGooglePlay: notification('google-play'),
  notifyAmazon: notification('amazon'),
  notifyRoku: notification('roku'),
  listStores: { request: () => ({}) },
  getStoreSettings: { request: () => ({}) },
  updateStoreSettings: { request: () => ({ body: { transfer_policy: 'keep', sandbox_purchases: 'false' } }) },
  setAppleStore: setting('apple', {
    'body.bundle_id': appStore,
    'body.app_apple_id': appStore,
    'body.issuer_id': appStore,
    'body.key_id': appStore,
  }),
  setGooglePlayStore: setting('google-play'),
  setAmazonStore: setting('amazon'),
  setRokuStore: setting('roku', { 'body.channel_id': appStore }),
  deleteStore: {
    request: async (world, caller) => {
      const stores = await openStores();
      await setStore(world.app, masterOf(world, caller), registerApps(stores), 'roku');
      return { params: { platform: 'roku' } };
    },
    unowned: { 'params.platform': 'one of four stores' },
    spends: true,
  },
  testStore: {
    request: async (world, caller) => {
      await appsOf(world, masterOf(world, caller), await openStores());
      return { params: { platform: 'apple' } };
    },
    unowned: { 'params.platform': 'one of four stores' },
  },
};

/** The merchant of the stores. A follower sets up those of its master. */
const masterOf = ({ merchant }: World, caller: Person) => (caller.merchantUuid === merchant.uuid ? merchant : caller);
