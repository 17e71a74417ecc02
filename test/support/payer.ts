import { call, listen, type Reply } from './client';
import { cards, subscribe, type Shop } from './factories';
import { type TestApp } from './startApp';

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
