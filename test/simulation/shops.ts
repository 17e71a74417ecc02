import { createFee, createItem, createMerchant, type Person } from '../support/factories';
import { registerStoreApps, type StoreApp, type StorePurchase } from './appStores';
import { call } from '../support/client';
import { atHome, seller } from '../support/tax';
import { createVoucher } from '../support/vouchers';
import { type World } from './requests';

/** The items of a merchant: subscriptions with two plans, and access for a day. */
export interface Shop {
  actor: string;
  merchant: Person;
  /** For each item, its two plans. */
  plans: number[][];
  dayPasses: number[];
  /** The items with these plans and passes, and the item of each fee. */
  items: { id: number }[];
  itemOf: Record<number, number>;
  vouchers: { limited: string; unlimited: string };
  /** A code that opens an item on a few devices at the same time. */
  accessCode: { itemId: number; code: string };
  /** The apps of the merchant, what they sell, and the purchases of all customers. */
  apps: StoreApp[];
  storeProduct: { itemId: number; feeId: number };
  storePurchases: StorePurchase[];
  /** The registered consumers and the ids of their accounts. */
  customers: { actor: string; id: number }[];
}

const openedTogether = 6;
const subscriptionItems = 2;
const dayPassItems = 3;
const usageLimit = 5;
const deviceLimit = 3;

/** Opens the shops before the first fault. */
export async function openShops(world: World, count: number): Promise<Shop[]> {
  const shops: Shop[] = [];
  for (let first = 1; first <= count; first += openedTogether) {
    const numbers = Array.from({ length: Math.min(openedTogether, count - first + 1) }, (_, index) => first + index);
    shops.push(...(await Promise.all(numbers.map((number) => openShop(world, number)))));
  }
  return shops;
}

async function openShop(world: World, number: number): Promise<Shop> {
  const { addresses, history } = world;
  const app = { address: addresses[0] ?? '' };
  const actor = `merchant ${number}`;
  const merchant = await createMerchant(app);
  const attempt = { actor, operation: -number, attempt: 1 };
  history.add({ kind: 'sent', ...attempt, what: 'register', method: 'POST', path: '/accounts', fields: {} });
  history.add({ kind: 'answered', ...attempt, status: 200, body: { uuid: merchant.uuid } });
  const plans: number[][] = [];
  const itemOf: Shop['itemOf'] = {};
  for (let item = 0; item < subscriptionItems; item += 1) {
    const { id } = await createItem(app, merchant);
    const prices = ['9.99', '19.99'];
    plans.push(await Promise.all(prices.map(async (amount) => (await createFee(app, merchant, id, { amount })).id)));
    for (const fee of plans.at(-1) ?? []) itemOf[fee] = id;
  }
  const dayPasses: number[] = [];
  let itemId = 0;
  const dayPass = { access_type: 'ppv', quantity: 2, period: 'day', amount: '4.50', description: 'Two days' };
  for (let item = 0; item < dayPassItems; item += 1) {
    const { id } = await createItem(app, merchant);
    itemId = id;
    dayPasses.push((await createFee(app, merchant, id, dayPass)).id);
    itemOf[dayPasses.at(-1) ?? 0] = id;
  }
  if (number % 2 === 1) await connectBackEnd(world, { actor, merchant });
  const limited = await createVoucher(app, merchant, { usage_limit: usageLimit });
  const unlimited = await createVoucher(app, merchant, { discount: 10 });
  const onSale = await openApps(world, merchant);
  const vouchers = { limited: limited.code, unlimited: unlimited.code };
  return {
    actor,
    merchant,
    plans,
    dayPasses,
    items: [...new Set(Object.values(itemOf))].map((id) => ({ id })),
    itemOf,
    vouchers,
    accessCode: await createCode(app, merchant, itemId),
    customers: [],
    ...onSale,
  };
}

/** Access for a year, which ends after the run, however far the merchant's clock moves. */
async function openApps(
  { addresses, storesUrl }: World,
  merchant: Person,
): Promise<Pick<Shop, 'apps' | 'storeProduct' | 'storePurchases'>> {
  const app = { address: addresses[0] ?? '' };
  const { id: itemId } = await createItem(app, merchant);
  const year = { access_type: 'ppv', quantity: 1, period: 'year', amount: '9.99', description: 'A year' };
  const { id: feeId } = await createFee(app, merchant, itemId, year);
  const apps = storesUrl === undefined ? [] : await registerStoreApps(storesUrl);
  for (const { store, fields } of apps) {
    const { status } = await call(app, 'PUT', `/stores/${store}`, fields, merchant);
    if (status >= 300) throw new Error(`PUT /stores/${store} was answered ${status}`);
  }
  return { apps, storeProduct: { itemId, feeId }, storePurchases: [] };
}

async function createCode(app: { address: string }, merchant: Person, itemId: number): Promise<Shop['accessCode']> {
  const fields = { device_limit: deviceLimit };
  const { body } = await call<{ code: string }>(app, 'POST', `/items/${itemId}/access/codes`, fields, merchant);
  return { itemId, code: body.code };
}

/** Every second merchant issues invoices and has a back end that receives webhooks. */
async function connectBackEnd(
  { addresses, history, backEnds }: World,
  { actor, merchant }: Pick<Shop, 'actor' | 'merchant'>,
): Promise<void> {
  const app = { address: addresses[0] ?? '' };
  const settings = [
    ['PUT', '/v2/tax/settings', seller],
    ['POST', '/v2/tax/registrations', atHome],
    ['POST', '/webhooks', { url: backEnds.urlOf(actor) }],
  ] as const;
  for (const [method, path, fields] of settings) {
    const { status } = await call(app, method, path, fields, merchant);
    if (status >= 300) throw new Error(`${method} ${path} was answered ${status}`);
  }
  history.add({ kind: 'receiving', actor, merchantUuid: merchant.uuid });
}
