import { call, type Method } from './client';
import { cards, createShop, reaches, subscribe, type Shop, type SubscriptionRow } from './factories';
import { startApp, type TestApp } from './startApp';
import { connectTemporal, type TemporalClient } from './temporalClient';
import { catchesUp, passDays } from './testClock';

/** A subscription that is lived through on its merchant's clock. */
export interface Lived {
  shop: Shop;
  id: string;
  row: () => Promise<SubscriptionRow>;
  /** Days pass, and all that they bring. */
  pass: (days: number) => Promise<SubscriptionRow>;
  /** The consumer asks for a change: `POST /subscriptions/<id>/<what>`. */
  ask: (what: string, fields?: Record<string, unknown>) => ReturnType<typeof call>;
  send: (method: Method, path: string, fields?: Record<string, unknown>) => ReturnType<typeof call>;
  hasAccess: () => Promise<boolean>;
}

export interface Lives {
  app: TestApp;
  temporal: TemporalClient;
  /** With nobody at work it stays submitted. */
  begin: (card?: string, options?: { fee?: Record<string, unknown>; trial?: [number, string] }) => Promise<Lived>;
  of: (shop: Shop, id: string) => Lived;
  /** Somebody begins to work. */
  work: () => Promise<Lives>;
  stop: () => Promise<void>;
}

/** `isIdle`: nobody works yet. */
export async function startLives({ isIdle = false } = {}): Promise<Lives> {
  const app = await startApp();
  const temporal = await connectTemporal();
  let isWorking = false;
  const of = (shop: Shop, id: string): Lived => liveWith(app, temporal, shop, id);
  const lives: Lives = {
    app,
    temporal,
    of,
    begin: async (card = cards.success, { fee = {}, trial } = {}) => {
      const shop = await createShop(app, fee);
      if (trial) await giveTrial(app, shop.fee.id, trial);
      const { body } = await subscribe(app, shop, card);
      if (isWorking) await reaches(app, shop.consumer, body.subscription_id, trial ? 'trialing' : 'active');
      return of(shop, body.subscription_id);
    },
    work: async () => {
      await app.startWorker();
      isWorking = true;
      return lives;
    },
    stop: async () => {
      await temporal.close();
      await app.stop();
    },
  };
  return isIdle ? lives : lives.work();
}

function liveWith(app: TestApp, { client }: TemporalClient, shop: Shop, id: string): Lived {
  const send: Lived['send'] = (method, path, fields) => call(app, method, path, fields, shop.consumer);
  const row = async () =>
    (await call<SubscriptionRow>(app, 'GET', `/subscriptions/${id}`, undefined, shop.consumer)).body;
  return {
    shop,
    id,
    row,
    pass: async (days) => {
      await catchesUp(client, id, await passDays(app, shop.merchant, days));
      return row();
    },
    ask: (what, fields) => send('POST', `/subscriptions/${id}/${what}`, fields),
    send,
    hasAccess: async () => (await send('GET', `/items/${shop.item.id}/access`)).status === 200,
  };
}

/** From now on the life's card does something else. */
export function changeCardOutcome(app: Pick<TestApp, 'pool'>, { id }: Pick<Lived, 'id'>, outcome: string) {
  return app.pool.query(
    `UPDATE sandbox_cards SET outcome = $2 WHERE token = (SELECT c.token FROM cards c
       JOIN subscriptions s ON s.card_id = c.id WHERE s.token = $1)`,
    [id, outcome],
  );
}

/** The payer approves the charge that waits, and nobody tells us. */
export async function approveSilently(app: Pick<TestApp, 'pool'>, { id }: Pick<Lived, 'id'>): Promise<void> {
  await app.pool.query(
    `UPDATE sandbox_charges SET status = 'paid', charged_at = now()
     WHERE status = 'requires_action' AND idempotency_key LIKE $1`,
    [`${id}:%`],
  );
}

/** A fee's free time. */
export function giveTrial(app: TestApp, feeId: number, [quantity, period]: [number, string]) {
  return app.pool.query('UPDATE access_fees SET trial_quantity = $2, trial_period = $3 WHERE id = $1', [
    feeId,
    quantity,
    period,
  ]);
}
