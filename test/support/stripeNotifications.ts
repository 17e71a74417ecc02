import { randomUUID } from 'node:crypto';
import Stripe from 'stripe';
import { startApp, type TestApp } from './startApp';
import { startStripeServer, stripeSettings, type StripeServer } from './stripeServer';
import { until } from './until';

export interface StripeApp extends TestApp {
  stripe: StripeServer;
}

/** An application with its worker, whose cards are Stripe's, as the stand-in plays it; both stop together. */
export async function startStripeApp(settingsFor = stripeSettings): Promise<StripeApp> {
  const stripe = await startStripeServer();
  const app = await startApp(settingsFor(stripe));
  await app.startWorker();
  const stop = async () => {
    await app.stop();
    await stripe.stop();
  };
  return { ...app, stripe, stop };
}

export interface Told {
  id?: string;
  /** Unix seconds; absent: a second after the one before. */
  created?: number;
  type: string;
  object: object;
  /** The connected account, and whether the event is of the live mode. */
  account?: string;
  livemode?: boolean;
}

let lastCreated = Math.floor(Date.now() / 1000);

/** Stripe tells the application of an event. */
export function notify(
  app: Pick<TestApp, 'address'>,
  { id = `evt_${randomUUID()}`, created = (lastCreated += 1), type, object, account, livemode = false }: Told,
  signedWith = 'whsec_test',
  path = '/payments/stripe/notifications',
) {
  const payload = JSON.stringify({ id, object: 'event', created, type, account, livemode, data: { object } });
  const timestamp = Math.floor(Date.now() / 1000);
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret: signedWith, timestamp });
  return fetch(`${app.address}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json; charset=utf-8', 'Stripe-Signature': signature },
    body: payload,
  });
}

/** The intent that a purchase made at Stripe. */
export const intentOf = (stripe: StripeServer, token: string) =>
  until(() => [...stripe.intents.values()].find(({ metadata }) => metadata['paywall_charge']?.startsWith(token)));
