import { z } from 'zod';
import { type Api, Unexpected } from './api';
import { listen } from './listener';
import { register } from './people';
import { day, say } from './screen';

const SIMULATOR_URL =
  process.env['STORE_SIMULATOR_URL'] || `http://127.0.0.1:${Number(process.env['PORT'] || 8080) + 10}`;

const App = z.object({ app: z.string(), fields: z.record(z.string(), z.union([z.string(), z.number()])) });
const Bought = z.object({ id: z.string(), receipt: z.record(z.string(), z.string()) });
const SetUp = z.object({ app: z.string() });
const Tested = z.object({ is_valid: z.boolean() });
const Accepted = z.object({ message: z.string(), external_payment_id: z.string() });
const Clock = z.object({ now: z.int() });

const titles = { apple: 'the App Store', 'google-play': 'Google Play', amazon: 'Amazon', roku: 'Roku' };
type StoreName = keyof typeof titles;

interface Shop {
  merchantToken: string;
  clientId: string;
  itemId: number;
  feeId: number;
}

/** Subscriptions that are bought in apps: presented by the app, renewed by the store, and refunded. */
export async function buyInStores(api: Api, baseUrl: string, shop: Shop): Promise<void> {
  if (!(await isThere())) return say(`No store simulator answers at ${SIMULATOR_URL}: this part is left out.`);
  await order('follow', { token: shop.merchantToken });
  for (const store of ['apple', 'google-play', 'amazon', 'roku'] as const) await buyIn(api, baseUrl, shop, store);
}

async function buyIn(api: Api, baseUrl: string, shop: Shop, store: StoreName): Promise<void> {
  const { merchantToken, clientId, itemId, feeId } = shop;
  const { app, fields } = App.parse(await order('apps', { store }));
  const asMerchant = { token: merchantToken, expect: 200 };
  const tellApp = (set: z.output<typeof SetUp>) => set.app;
  await api.put(`Sets up ${titles[store]}`, `/stores/${store}`, fields, { ...asMerchant, read: SetUp, tell: tellApp });
  const tellTest = ({ is_valid: isValid }: z.output<typeof Tested>) => (isValid ? 'the store takes them' : 'refused');
  await api.post('tries the credentials', `/stores/${store}/test`, {}, { ...asMerchant, read: Tested, tell: tellTest });

  const { access_token: token } = await register(api, 'A consumer', 'consumer', clientId);
  const ear = await listen(baseUrl, token, clientId);
  const bought = Bought.parse(await order('purchases', { store, app, product_id: `${itemId}_${feeId}` }));
  const presentedAt = performance.now();
  await api.post(
    'presents what the app bought',
    `/external-payments/${store}/validate`,
    { ...bought.receipt, item_id: itemId, access_fee_id: feeId },
    { token, expect: 202, read: Accepted, tell: ({ message }) => message },
  );
  await ear.hears('access.granted', presentedAt, (access) => `until ${day(access['expires_at'])}`);
  await ear.hears('external.payment.success', presentedAt, (payment) => String(payment['formatted_amount']));
  await ear.hears('external.subscribe.success', presentedAt, () => 'as apps know it');
  await ear.hears('subscribe.success', presentedAt, (payment) => String(payment['payment_method']));

  const movedAt = performance.now();
  await api.post(
    'A month passes',
    '/test-clock',
    { advance: 31.5 * 86_400 },
    { ...asMerchant, read: Clock, tell: ({ now }) => day(now) },
  );
  await ear.hears('subscribe.renewed', movedAt, (payment) => `until ${day(payment['current_period_end'])}`);
  const refundedAt = performance.now();
  await order(`purchases/${bought.id}/refund`, {});
  await ear.hears('access.revoked', refundedAt, () => 'the store gave the money back');
  ear.close();
}

async function isThere(): Promise<boolean> {
  const answer = await fetch(`${SIMULATOR_URL}/simulator/clock`, { signal: AbortSignal.timeout(2_000) }).catch(
    () => undefined,
  );
  return answer?.ok ?? false;
}

/** Commands to the simulated stores: actions of customers in apps and of the stores themselves. */
async function order(path: string, fields: object): Promise<unknown> {
  const answer = await fetch(`${SIMULATOR_URL}/simulator/${path}`, { method: 'POST', body: JSON.stringify(fields) });
  if (!answer.ok) throw new Unexpected(`The store simulator answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
}
