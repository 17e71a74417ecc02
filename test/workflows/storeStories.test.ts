import { type StoreName } from '../../src/adapters/appStores/store';
import { type SimulatedPurchase } from '../../scripts/storeSimulator/purchase';
import { type Sending } from '../../scripts/storeSimulator/face';
import { call } from '../support/client';
import { type TestApp } from '../support/startApp';
import {
  buy,
  createStoreShop,
  eventsOf,
  isQuiet,
  mayWatch,
  moveClock,
  present,
  readHistories,
  settled,
  startStoreApp,
  type Stores,
  type StoreShop,
} from '../support/stores';
import { type TemporalClient } from '../support/temporalClient';
import { until } from '../support/until';

/**
 * One purchase in each store: bought, renewed, in grace, on hold, recovered, cancelled, expired, refunded. Whether its
 * notifications arrive or not, access and records are the same at the end.
 */

let stores: Stores;
let app: TestApp;
let stop: () => Promise<void>;
let temporal: TemporalClient;

beforeAll(async () => {
  ({ app, stores, temporal, stop } = await startStoreApp());
  stores.simulator.setTarget(app.address);
});
afterAll(() => stop());

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

interface Row {
  token: string;
  state: string;
  auto_renew: boolean;
  payments: number;
}

async function purchaseRow({ consumer }: StoreShop): Promise<Row> {
  const { rows } = await app.pool.query<Row>(
    `SELECT p.token, p.state, p.auto_renew,
       (SELECT count(*)::int FROM store_payments s WHERE s.store_purchase_id = p.id) AS payments
     FROM store_purchases p WHERE account_id = $1`,
    [consumer.id],
  );
  const [row] = rows;
  if (!row) throw new Error('nothing was claimed');
  return row;
}

const settles = (shop: StoreShop, expected: Partial<Row>) =>
  until(async () => {
    const row = await purchaseRow(shop);
    const isThere = Object.entries(expected).every(([name, value]) => row[name as keyof Row] === value);
    return isThere && (await isQuiet(app, temporal, row.token));
  });

type Mode = 'all of them' | 'none of them' | 'all of them twice and shuffled';

const deliveries = {
  'all of them': 'at once',
  'none of them': 'never',
  'all of them twice and shuffled': 'kept',
} as const satisfies Record<Mode, string>;

/** The same disorder in each run: every third one first, and all twice. */
const shuffled = (kept: Sending[]) =>
  [...kept, ...kept]
    .map((sending, index) => ({ sending, place: (index * 7) % 5 }))
    .sort((a, b) => b.place - a.place)
    .map(({ sending }) => sending);

async function live(store: StoreName, mode: Mode): Promise<object> {
  const { simulator } = stores;
  const { market } = simulator;
  simulator.setDelivery(deliveries[mode]);
  const shop = await createStoreShop(app, stores);
  await moveClock(shop, new Date(market.now.getTime() + 60_000));
  const start = market.now;
  const purchase = buy(shop, store, { length: { quantity: 1, period: 'week' } });
  await settled(shop, await present(shop, purchase));
  await settles(shop, { state: 'active', payments: 1 });

  const watched: boolean[] = [];
  const watch = async () => void watched.push(await mayWatch(shop, shop.consumer));
  await watch();
  const goTo = (days: number) => moveClock(shop, new Date(start.getTime() + days * dayMs + hourMs));
  const told = async () => {
    if (mode === 'all of them twice and shuffled') await simulator.sendKept(shuffled);
    await simulator.settled();
  };
  await goTo(7);
  await settles(shop, { state: 'active', payments: 2 });
  await watch();
  market.setBroke(purchase.id, true);
  await goTo(14);
  await settles(shop, { state: 'grace' });
  const played = await call(app, 'GET', `/items/${shop.item.id}/access`, undefined, shop.consumer);
  expect(played).toMatchObject({ status: 200, body: { grace: true } });
  await watch();
  await goTo(17);
  await settles(shop, { state: store === 'amazon' ? 'expired' : 'on_hold' });
  await watch();
  market.setBroke(purchase.id, false);
  await told();
  await goTo(18.5);
  await settles(shop, { state: 'active', payments: 3 });
  await watch();
  market.setAutoRenew(purchase.id, false);
  await goTo(20);
  await settles(shop, { auto_renew: false });
  await watch();
  await goTo(25);
  await settles(shop, { state: 'expired' });
  await watch();
  market.refund(purchase.id);
  // Google lists refunds in a list that is read every hour, not at each look.
  if (store === 'google-play') await readHistories(temporal);
  await goTo(27);
  await settles(shop, { state: store === 'roku' ? 'expired' : 'revoked' });
  await told();
  await settles(shop, {});
  expect(watched).toEqual([true, true, true, false, true, true, false]);
  expect(await mayWatch(shop, shop.consumer)).toBe(false);
  if (mode !== 'none of them')
    expect(new Set(simulator.answers.splice(0).map(({ status }) => status))).toEqual(new Set([200]));
  return recordsOf(shop, purchase, start);
}

/** All rows of a purchase, with times counted from its beginning. */
async function recordsOf(shop: StoreShop, purchase: SimulatedPurchase, start: Date): Promise<object> {
  const since = (column: string) => `extract(epoch FROM ${column} - $2::timestamptz)::int AS ${column}`;
  const read = async (text: string) => (await app.pool.query(text, [shop.consumer.id, start])).rows as object[];
  return {
    purchase: await read(
      `SELECT store, environment, state, is_trial, auto_renew, amount_minor, currency, country_iso, is_open,
         replaced_at, ${since('purchased_at')}, ${since('expires_at')}, ${since('access_ends_at')}
       FROM store_purchases WHERE account_id = $1`,
    ),
    access: await read(
      `SELECT source, revoked_at, ${since('starts_at')}, ${since('expires_at')} FROM accesses WHERE account_id = $1`,
    ),
    payments: await read(
      `SELECT amount_minor, currency, is_trial, refunded_at IS NOT NULL AS is_refunded, ${since('paid_at')}
       FROM store_payments WHERE account_id = $1 ORDER BY paid_at`,
    ),
    happened: await read(
      `SELECT e.sequence, e.what, e.from_state, e.to_state FROM store_purchase_events e
       JOIN store_purchases p ON p.id = e.store_purchase_id WHERE p.account_id = $1 AND $2::timestamptz IS NOT NULL
       ORDER BY e.sequence`,
    ),
    told: (await eventsOf(shop, shop.consumer)).map(({ type }) => type),
    acknowledged: stores.simulator.market.get(purchase.id).acknowledgedAt !== null,
  };
}

describe.each(['apple', 'google-play', 'amazon', 'roku'] as const)('a subscription in %s', (store) => {
  const records: Partial<Record<Mode, object>> = {};

  test.each(['all of them', 'none of them', 'all of them twice and shuffled'] as const)(
    'is lived to its end with notifications: %s',
    async (mode) => {
      records[mode] = await live(store, mode);
      const { happened, access } = records[mode] as { happened: { what: string }[]; access: { expires_at: number }[] };
      const hold = store === 'amazon' ? 'expired' : 'on_hold';
      const whats = ['bought', 'renewed', 'past_due', hold, 'recovered', 'auto_renew_off', 'expired'];
      expect(happened.map(({ what }) => what)).toEqual(store === 'roku' ? whats : [...whats, 'revoked']);
      // Paid for until then; the refund came after it.
      expect(access).toHaveLength(1);
      expect(access[0]?.expires_at).toBeGreaterThan(23 * 86_400);
      expect(access[0]?.expires_at).toBeLessThan(25 * 86_400);
    },
  );

  test('leaves the same access and the same records each time', () => {
    // Roku reports the refund of an ended purchase only by its notification.
    const heard = records['all of them'] as { payments: object[]; told: string[] };
    const refund = 'external.payment.refund.success';
    const told = heard.told.filter((type) => type !== refund);
    const payments = heard.payments.map((payment) => ({ ...payment, is_refunded: false }));
    expect(records['none of them']).toEqual(store === 'roku' ? { ...heard, told, payments } : heard);
    expect(records['all of them twice and shuffled']).toEqual(records['all of them']);
  });
});
