import { z } from 'zod';
import { storeNames } from '../../src/adapters/appStores/store';
import { type FaceAnswer, type FaceRequest, type Sending } from './face';
import { type Market } from './market';
import { type SimulatedPurchase } from './purchase';
import { type MarketClock } from './marketClock';
import { deliveries, healths } from './simulator';
import { receiptOf, registerApp, storeFields, type Stores } from './stores';

/** Commands to the stores by developers and the demo: JSON under `/simulator`, for this machine only. */

const Store = z.enum(storeNames);
const Period = z.object({
  quantity: z.int().min(1).default(1),
  period: z.enum(['hour', 'day', 'week', 'month', 'year']),
});

const Purchase = z.object({
  store: Store,
  app: z.string(),
  product_id: z.string().min(1),
  kind: z.enum(['subscription', 'one_time']).default('subscription'),
  length: Period.optional(),
  trial: Period.optional(),
  amount_minor: z.int().min(0).default(999),
  currency: z.string().length(3).default('EUR'),
  environment: z.enum(['production', 'sandbox']).default('production'),
  account_uuid: z.uuid().optional(),
  /** The id of the replaced purchase, for a change of plans at Google Play. */
  replaces: z.string().optional(),
});

const Product = z.object({ product_id: z.string().min(1) });
const Pause = z.object({ resumes_at: z.coerce.date().optional() });
/** `number`: the period to refund; 0 is the first. */
const Refund = z.object({ number: z.int().min(0) });
const Extension = z.object({ days: z.int().min(1).max(400) });

/** The actions on a purchase; everything else happens as the clock moves. */
const actions: Record<string, (market: Market, id: string, fields: unknown) => unknown> = {
  'fail-payments': (market, id) => market.setBroke(id, true),
  recover: (market, id) => market.setBroke(id, false),
  cancel: (market, id) => market.setAutoRenew(id, false),
  restore: (market, id) => market.setAutoRenew(id, true),
  pause: (market, id, fields) => market.pause(id, Pause.parse(fields).resumes_at ?? null),
  resume: (market, id) => market.resume(id),
  upgrade: (market, id, fields) => market.change(id, Product.parse(fields).product_id, 'now'),
  downgrade: (market, id, fields) => market.change(id, Product.parse(fields).product_id, 'next_period'),
  extend: (market, id, fields) => market.extend(id, Extension.parse(fields).days),
  refund: (market, id) => market.refund(id),
  'refund-period': (market, id, fields) => market.refundPeriod(id, Refund.parse(fields).number),
  'reverse-period-refund': (market, id, fields) => market.reversePeriodRefund(id, Refund.parse(fields).number),
  'request-refund': (market, id) => market.requestRefund(id),
  'decline-refund': (market, id) => market.declineRefund(id),
  'reverse-refund': (market, id) => market.reverseRefund(id),
  revoke: (market, id) => market.revoke(id),
};

const orders = {
  'as it happened': (kept: Sending[]) => kept,
  reversed: (kept: Sending[]) => kept.toReversed(),
  twice: (kept: Sending[]) => kept.flatMap((sending) => [sending, sending]),
  'twice and reversed': (kept: Sending[]) => [...kept, ...kept].reverse(),
};
type Arrangement = keyof typeof orders;

type Handler = (fields: unknown, name: string, action: string) => object;

/** Finds the handler by method and path. The handler reads the parts of the path after its first word. */
export function answerControl(stores: Stores, clock: MarketClock): (request: FaceRequest) => FaceAnswer | undefined {
  const handlers = handlersOf(stores, clock);
  return ({ method, path, body }) => {
    const [, base, word = '', name = '', action = ''] = path.split('/').map(decodeURIComponent);
    if (base !== 'simulator') return undefined;
    const handler = handlers[`${method} ${word}`];
    if (!handler) return { status: 404, body: { message: `the simulator knows: ${Object.keys(handlers).join(', ')}` } };
    try {
      return { status: 200, body: handler(body === '' ? {} : JSON.parse(body), name, action) };
    } catch (error) {
      const message = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
      return { status: 422, body: { message } };
    }
  };
}

function handlersOf(stores: Stores, clock: MarketClock): Record<string, Handler> {
  return { ...purchaseHandlers(stores), ...clockHandlers(stores, clock), ...deliveryHandlers(stores) };
}

function purchaseHandlers(stores: Stores): Record<string, Handler> {
  const { market } = stores.simulator;
  const show = (purchase: SimulatedPurchase) => ({ ...purchase, receipt: receiptOf(stores, purchase) });
  return {
    'POST apps': (fields) => {
      const { store } = z.object({ store: Store }).parse(fields);
      const { app, credentials } = registerApp(stores, store);
      return { store, app, fields: storeFields[store](credentials as never) };
    },
    'GET purchases': () => ({ collection: [...market.purchases.values()].map(show) }),
    'POST purchases': (fields, id, action) => {
      if (id === '') return show(market.buy(orderOf(fields)));
      const run = actions[action];
      if (!run) throw new Error(`The actions of a purchase are: ${Object.keys(actions).join(', ')}`);
      run(market, id, fields);
      return show(market.get(id));
    },
  };
}

function clockHandlers({ simulator: { market } }: Stores, clock: MarketClock): Record<string, Handler> {
  return {
    'GET clock': () => ({ now: market.now }),
    'POST clock': (fields) => {
      clock.advance(z.object({ advance: z.int().min(1) }).parse(fields).advance);
      return { now: market.now };
    },
    'POST follow': (fields) => {
      clock.follow(z.object({ token: z.string() }).parse(fields).token);
      return { now: market.now };
    },
  };
}

function deliveryHandlers({ simulator }: Stores): Record<string, Handler> {
  return {
    'POST health': (fields) => {
      const { health } = z.object({ health: z.enum(healths) }).parse(fields);
      simulator.setHealth(health);
      return { health };
    },
    'POST delivery': (fields) => {
      const { delivery } = z.object({ delivery: z.enum(deliveries) }).parse(fields);
      simulator.setDelivery(delivery);
      return { delivery };
    },
    'POST kept': (fields) => {
      const { order } = z.object({ order: z.enum(Object.keys(orders) as [Arrangement]) }).parse(fields);
      void simulator.sendKept(orders[order]);
      return { order };
    },
  };
}

function orderOf(fields: unknown) {
  const {
    product_id: productId,
    amount_minor: amountMinor,
    account_uuid,
    replaces,
    trial,
    ...order
  } = Purchase.parse(fields);
  return {
    ...order,
    productId,
    amountMinor,
    accountUuid: account_uuid ?? null,
    replacesId: replaces ?? null,
    length: order.kind === 'one_time' ? null : (order.length ?? { quantity: 1, period: 'month' as const }),
    ...(trial && { trial }),
  };
}
