import { call, type Method, requestChange } from './client';
import { cards, createShop, reaches, subscribe, type Shop, type SubscriptionRow } from './factories';
import { startApp, type TestApp } from './startApp';
import { startStripeServer, stripeSettings, type StripeServer } from './stripeServer';
import { connectTemporal, type TemporalClient } from './temporalClient';
import { catchesUp, passDays, passPeriod } from './testClock';
import { until } from './until';
import { approveAtBank, control, queryBooks } from './providerBooks';

/** A subscription on its merchant's test clock. */
export interface SubscriptionScenario {
  shop: Shop;
  id: string;
  row: () => Promise<SubscriptionRow>;
  /** Moves the test clock, and waits until the run has caught up. */
  advanceDays: (days: number) => Promise<SubscriptionRow>;
  /** The same, to so many days after the end of the present period. The length of a month depends on the date of the test. */
  advancePastEnd: (daysLater: number) => Promise<SubscriptionRow>;
  /**
   * The consumer requests a change: `POST /subscriptions/<id>/<what>`. While a worker runs, a request whose answer is
   * pending is repeated with its key until the outcome is known.
   */
  request: (what: string, fields?: Record<string, unknown>) => ReturnType<typeof call>;
  /** The consumer, or the caller, cancels it. Resolves when the run has decided: a busy one may not answer in time. */
  cancel: (fields?: Record<string, unknown>, caller?: { token: string }) => ReturnType<typeof call>;
  send: (method: Method, path: string, fields?: Record<string, unknown>) => ReturnType<typeof call>;
  hasAccess: () => Promise<boolean>;
}

export interface Scenarios {
  app: TestApp;
  temporal: TemporalClient;
  /** Without a worker the subscription stays submitted. */
  subscribe: (
    card?: string,
    options?: { fee?: Record<string, unknown>; trial?: [number, string] },
  ) => Promise<SubscriptionScenario>;
  of: (shop: Shop, id: string) => SubscriptionScenario;
  startWorker: () => Promise<Scenarios>;
  stop: () => Promise<void>;
}

interface ScenarioOptions {
  /** No worker runs yet. */
  isIdle?: boolean;
  /** More settings of the service. */
  environment?: Record<string, string>;
}

export async function startScenarios({ isIdle = false, environment = {} }: ScenarioOptions = {}): Promise<Scenarios> {
  const app = await startApp(environment);
  const temporal = await connectTemporal();
  let isWorking = false;
  const of = (shop: Shop, id: string): SubscriptionScenario => ({
    ...scenarioOf(app, temporal, shop, id),
    request: (what, fields) => {
      const send = isWorking ? requestChange : call;
      return send(app, 'POST', `/subscriptions/${id}/${what}`, fields, shop.consumer);
    },
  });
  const scenarios: Scenarios = {
    app,
    temporal,
    of,
    subscribe: async (card = cards.success, { fee = {}, trial } = {}) => {
      const shop = await createShop(app, fee);
      if (trial) await giveTrial(app, shop.fee.id, trial);
      const { body } = await subscribe(app, shop, card);
      if (isWorking) await reaches(app, shop.consumer, body.subscription_id, trial ? 'trialing' : 'active');
      return of(shop, body.subscription_id);
    },
    startWorker: async () => {
      await app.startWorker();
      isWorking = true;
      return scenarios;
    },
    stop: async () => {
      await temporal.close();
      await app.stop();
    },
  };
  return isIdle ? scenarios : scenarios.startWorker();
}

export interface StripeScenarios extends Scenarios {
  stripe: StripeServer;
}

/** Subscriptions whose cards are charged at a stand-in of Stripe. `stop` stops both. */
export async function startStripeScenarios(): Promise<StripeScenarios> {
  const stripe = await startStripeServer();
  const scenarios = await startScenarios({ environment: stripeSettings(stripe) });
  const stop = async () => {
    await scenarios.stop();
    await stripe.stop();
  };
  return { ...scenarios, stripe, stop };
}

function scenarioOf(
  app: TestApp,
  { client }: TemporalClient,
  shop: Shop,
  id: string,
): Omit<SubscriptionScenario, 'request'> {
  const send: SubscriptionScenario['send'] = (method, path, fields) => call(app, method, path, fields, shop.consumer);
  const row = async () =>
    (await call<SubscriptionRow>(app, 'GET', `/subscriptions/${id}`, undefined, shop.consumer)).body;
  return {
    shop,
    id,
    row,
    advanceDays: async (days) => {
      await catchesUp(client, id, await passDays(app, shop.merchant, days));
      return row();
    },
    advancePastEnd: async (daysLater) => {
      await catchesUp(client, id, await passPeriod(app, shop, id, daysLater));
      return row();
    },
    send,
    cancel: async (fields = {}, { token } = shop.consumer) => {
      const reply = await call(app, 'DELETE', `/subscriptions/${id}`, fields, { token });
      const decided = `SELECT FROM subscriptions WHERE token = $1 AND requests = '[]'`;
      await until(async () => (await app.pool.query(decided, [id])).rows.length === 1);
      return reply;
    },
    hasAccess: async () => (await send('GET', `/items/${shop.item.id}/access`)).status === 200,
  };
}

/** Changes what the card of the subscription does from now on. */
export async function changeCardOutcome(
  app: Pick<TestApp, 'pool'>,
  { id }: Pick<SubscriptionScenario, 'id'>,
  outcome: string,
): Promise<void> {
  const text = 'SELECT c.token FROM cards c JOIN subscriptions s ON s.card_id = c.id WHERE s.token = $1';
  const { rows } = await app.pool.query<{ token: string }>(text, [id]);
  await control('outcomes', { token: rows[0]?.token, outcome });
}

/** Connects the provider account of the subscription's card, or disconnects it: its charges then cannot be looked up. */
export const connectAccount = (
  app: Pick<TestApp, 'pool'>,
  { id }: Pick<SubscriptionScenario, 'id'>,
  isConnected: boolean,
) =>
  app.pool.query(
    `UPDATE cards SET provider = CASE WHEN $2 THEN 'sandbox' ELSE 'stripe:acct_gone' END
     WHERE id = (SELECT card_id FROM subscriptions WHERE token = $1)`,
    [id, isConnected],
  );

/** The payer approves the charge that waits, and no notification arrives. */
export async function approveSilently(
  app: Pick<TestApp, 'pool'>,
  { id }: Pick<SubscriptionScenario, 'id'>,
): Promise<void> {
  const text = `SELECT reference FROM sandbox_charges
    WHERE status IN ('requires_action', 'awaits_payer') AND idempotency_key LIKE $1`;
  const { rows } = await queryBooks<{ reference: string }>(app.pool, text, [`${id}:%`]);
  for (const { reference } of rows) await approveAtBank(reference);
}

/** A fee's free time. */
export function giveTrial(app: TestApp, feeId: number, [quantity, period]: [number, string]) {
  return app.pool.query('UPDATE access_fees SET trial_quantity = $2, trial_period = $3 WHERE id = $1', [
    feeId,
    quantity,
    period,
  ]);
}
