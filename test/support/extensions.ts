import { requestChange } from './client';
import { type Person } from './factories';
import { type SubscriptionScenario } from './scenarios';
import { type TestApp } from './startApp';

interface ExtendOptions {
  days?: unknown;
  caller?: Pick<Person, 'token'>;
  key?: string;
}

/** The merchant extends a subscription, by a week unless `days` is given. */
export const extend = (
  app: Pick<TestApp, 'address'>,
  { shop, id }: Pick<SubscriptionScenario, 'shop' | 'id'>,
  { days = 7, caller = shop.merchant, key }: ExtendOptions = {},
) => {
  const options = { token: caller.token, ...(key !== undefined && { key }) };
  return requestChange(app, 'POST', `/subscriptions/${id}/extend`, { days }, options);
};

export const daySeconds = 86_400;
