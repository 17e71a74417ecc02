import { call, listen, type Reply } from './client';
import { cards, subscribe, type Shop } from './factories';
import { type SubscriptionScenario } from './scenarios';
import { type TestApp } from './startApp';
import { until } from './until';

export interface Authentication {
  /** The subscription's token. */
  id: string;
  pi: string;
  redirectTo: string;
  /** The customer answers on the page of the sandbox's bank. */
  answer: (answer: 'approved' | 'refused') => Promise<Reply<string>>;
}

/** Subscribes with a card that needs an authentication, until the app receives the address of the bank. */
export async function subscribeWithAuthentication(
  app: TestApp,
  shop: Shop,
  card: string = cards.needsAuthentication,
): Promise<Authentication> {
  const channel = await listen(app, shop.consumer);
  const { body } = await subscribe(app, shop, card);
  const { resource } = await channel.hears('subscribe.requires.action');
  await channel.close();
  const pi = String(resource['pi_id']);
  return {
    id: body.subscription_id,
    pi,
    redirectTo: String(resource['redirect_to_url']),
    answer: (answer) => call<string>(app, 'POST', `/sandbox/authenticate/${pi}`, { answer }),
  };
}

/** The payer's answer is looked up while the provider does not answer. Later it would answer. */
export async function answerInSilence(answer: () => Promise<unknown>): Promise<void> {
  const { cardProvider } = await import('../../src/adapters/cardProviders/index.js');
  const original = { ...cardProvider };
  let asked = 0;
  cardProvider.lookUpCharge = () => {
    asked += 1;
    return Promise.resolve({ outcome: 'unknown' });
  };
  try {
    await answer();
    await until(() => asked > 0);
  } finally {
    Object.assign(cardProvider, original);
  }
}

/** The path of the page where the payer of a waiting renewal confirms it. */
export async function confirmationPath(app: Pick<TestApp, 'pool'>, token: string): Promise<string> {
  const text = `SELECT redirect_url FROM charges WHERE status = 'requires_action' AND idempotency_key LIKE $1`;
  const { rows } = await app.pool.query<{ redirect_url: string }>(text, [`${token}:%`]);
  return new URL(rows[0]?.redirect_url ?? '').pathname;
}

/** Where the payer of a waiting charge of the subscription authenticates it, as the API tells a client. */
export async function bankPath({ id, send }: Pick<SubscriptionScenario, 'id' | 'send'>): Promise<string> {
  const { body } = await send('GET', `/subscriptions/${id}/authentication`);
  return new URL((body as { redirect_to_url: string }).redirect_to_url).pathname;
}

/** The payer of a renewal confirms it. Returns where the bank takes the answer: `POST` there. */
export async function renewalAnswerPath(app: Pick<TestApp, 'address' | 'pool'>, token: string): Promise<string> {
  const { headers } = await call(app, 'POST', await confirmationPath(app, token));
  return new URL(headers.get('location') ?? '').pathname;
}
