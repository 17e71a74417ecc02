import { z } from 'zod';
import { type Api, connectApi, Unexpected } from './demo/api';
import { listen } from './demo/listener';
import { register, subscribe } from './demo/people';
import { day, say } from './demo/screen';
import { buyInStores } from './demo/stores';
import { liveAYear } from './demo/year';

const BASE_URL = (process.env['BASE_URL'] || `http://127.0.0.1:${process.env['PORT'] || 8080}`).replace(/\/$/, '');
const TEMPORAL_UI_URL = (process.env['TEMPORAL_UI_URL'] || 'http://127.0.0.1:8233').replace(/\/$/, '');

const Made = z.object({ id: z.int() });
const Fee = z.object({ id: z.int(), amount: z.number(), currency: z.string(), description: z.string() });
const Card = z.object({ title: z.string(), access_fees: z.tuple([Fee], Fee) });
const Refused = z.object({ explain: z.string() });
const Unlocked = z.object({ expires_at: z.int(), item: z.object({ content: z.string() }) });
const Subscription = z.object({ status: z.string(), formatted_amount: z.string(), current_period_end: z.int() });

/** `npm run demo`: the main story against a running server, over real HTTP and a real WebSocket. */
async function main(): Promise<void> {
  const api = await connectApi(BASE_URL);
  say(`\nFrom a paywall to the content, at ${BASE_URL}\n`);
  const shop = await openShop(api);
  const subscriptionId = await buy(api, shop);
  await beDeclined(api, shop);
  say('\nA year of a subscription, on the merchant’s test clock\n');
  await liveAYear(api, BASE_URL, shop);
  say('\nSubscriptions bought in the app stores\n');
  await buyInStores(api, BASE_URL, shop);
  const workflow = `${TEMPORAL_UI_URL}/namespaces/default/workflows/subscription-${subscriptionId}`;
  say(`\nThe workflow that did it, step by step:\n${workflow}\n`);
}

interface Shop {
  merchantToken: string;
  /** The merchant's uuid, with which its consumers register. */
  clientId: string;
  itemId: number;
  feeId: number;
}

async function openShop(api: Api): Promise<Shop> {
  const { access_token: token, account } = await register(api, 'A merchant', 'merchant', 'platform');
  const item = await api.post(
    'and protects an item',
    '/v2/items',
    { item_type: 'html_asset', title: 'The match', content: '<h1>Ninety minutes, unlocked</h1>' },
    { token, expect: 201, read: Made, tell: ({ id }) => `item ${id}` },
  );
  const monthly = { access_type: 'subscription', quantity: 1, period: 'month', description: 'Monthly' };
  const fee = await api.post(
    'and prices it',
    `/v2/items/${item.id}/access-fees`,
    { ...monthly, amount: '9.99', currency: 'EUR' },
    { token, expect: 201, read: Fee, tell: describeFee },
  );
  return { merchantToken: token, clientId: account.uuid, itemId: item.id, feeId: fee.id };
}

async function buy(api: Api, { clientId, itemId }: Shop): Promise<string> {
  const { access_token: token } = await register(api, 'A consumer', 'consumer', clientId);
  const { access_fees } = await api.get('reads the price', `/items/${clientId}/${itemId}`, {
    expect: 200,
    read: Card,
    tell: ({ access_fees: [fee] }) => describeFee(fee),
  });
  const ear = await listen(BASE_URL, token, clientId);
  await checkLocked(api, token, itemId);
  const paidAt = performance.now();
  const { subscription_id: id } = await subscribe(api, token, access_fees[0].id, '4242424242424242');
  await ear.hears('access.granted', paidAt, (access) => `until ${day(access['expires_at'])}`);
  await ear.hears('subscribe.success', paidAt, (payment) => `${String(payment['formatted_amount'])} charged`);
  await api.get('checks access again', `/items/${itemId}/access`, {
    token,
    expect: 200,
    read: Unlocked,
    tell: ({ item }) => item.content,
  });
  await api.get('reads the subscription', `/subscriptions/${id}`, {
    token,
    expect: 200,
    read: Subscription,
    tell: (row) => `${row.status}, ${row.formatted_amount}, until ${day(row.current_period_end)}`,
  });
  ear.close();
  return id;
}

async function beDeclined(api: Api, { clientId, itemId, feeId }: Shop): Promise<void> {
  const { access_token: token } = await register(api, 'Another consumer', 'consumer', clientId);
  const ear = await listen(BASE_URL, token, clientId);
  const triedAt = performance.now();
  await subscribe(api, token, feeId, '4000000000000002');
  await ear.hears('subscribe.failed', triedAt, (failure) => String(failure['message']));
  await checkLocked(api, token, itemId);
  ear.close();
}

function checkLocked(api: Api, token: string, itemId: number): Promise<z.output<typeof Refused>> {
  return api.get('checks access', `/items/${itemId}/access`, {
    token,
    expect: 402,
    read: Refused,
    tell: ({ explain }) => explain,
  });
}

const describeFee = (fee: z.output<typeof Fee>) => `${fee.amount} ${fee.currency} a month: fee ${fee.id}`;

main().catch((error: unknown) => {
  if (!(error instanceof Unexpected)) throw error;
  console.error(`\n${error.message}`);
  process.exit(1);
});
