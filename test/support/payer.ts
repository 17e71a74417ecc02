import { call, listen, type Reply } from './client';
import { cards, subscribe, type Shop } from './factories';
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

/** Subscribes with a card that needs an authentication, up to where the app is told to send the customer there. */
export async function subscribeWithAuthentication(app: TestApp, shop: Shop): Promise<Authentication> {
  const channel = await listen(app, shop.consumer);
  const { body } = await subscribe(app, shop, cards.needsAuthentication);
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

/** The payer's answer is looked up while the provider says nothing; after that it would. */
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

/** Where the payer of a renewal answers it: `POST` there. */
export async function renewalAnswerPath(app: Pick<TestApp, 'pool'>, token: string): Promise<string> {
  const text = `SELECT reference FROM sandbox_charges WHERE status = 'requires_action' AND idempotency_key LIKE $1`;
  const { rows } = await app.pool.query<{ reference: string }>(text, [`${token}:%`]);
  return `/sandbox/authenticate/${rows[0]?.reference}`;
}
