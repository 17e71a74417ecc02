import { z } from 'zod';
import { type Api } from './api';
import { listen } from './listener';
import { register, subscribe } from './people';
import { day } from './screen';

const Clock = z.object({ now: z.int() });
const Subscription = z.object({ status: z.string(), current_period_end: z.int(), unsubscribe_url: z.url() });
const Canceled = z.object({ status: z.string() });

/** The first charge of this card succeeds, the second has insufficient funds, every later one succeeds. */
const unsteadyCard = '4000000000000622';
const daySeconds = 86_400;

interface Shop {
  merchantToken: string;
  clientId: string;
  feeId: number;
}

/** A year of renewals with one decline and its recovery, and then the cancellation. */
export async function liveAYear(api: Api, baseUrl: string, shop: Shop): Promise<void> {
  const { access_token: token } = await register(api, 'A reader', 'consumer', shop.clientId);
  const ear = await listen(baseUrl, token, shop.clientId);
  const boughtAt = performance.now();
  const { subscription_id: id } = await subscribe(api, token, shop.feeId, unsteadyCard);
  await ear.hears('access.granted', boughtAt, (access) => `until ${day(access['expires_at'])}`);
  await ear.hears('subscribe.success', boughtAt, amountOf);
  const { current_period_end: firstEnd } = await read(api, token, id);

  const failedAt = await moveTo(api, shop, 'The first renewal', firstEnd + daySeconds / 2);
  await ear.hears('subscription.rebill.failed', failedAt, ({ message }) => String(message));
  await ear.hears('subscribe.past_due', failedAt, () => 'declined; access goes on');
  const recoveredAt = await moveTo(api, shop, 'The next day', firstEnd + 1.5 * daySeconds);
  await ear.hears('subscribe.renewed', recoveredAt, amountOf);
  const movedAt = await moveTo(api, shop, 'The rest of the year', firstEnd + 320 * daySeconds);
  for (let month = 3; month <= 12; month += 1) await ear.hears('subscribe.renewed', movedAt, amountOf);

  const { unsubscribe_url: url } = await read(api, token, id);
  const canceledAt = performance.now();
  const path = new URL(url).pathname;
  await api.get('cancels', path, { token, expect: 200, read: Canceled, tell: ({ status }) => status });
  await ear.hears(
    'subscribe.cancelled.success',
    canceledAt,
    (payment) => `runs until ${day(payment['current_period_end'])}`,
  );
  const endedAt = await moveTo(api, shop, 'The paid time runs out', firstEnd + 360 * daySeconds);
  await ear.hears('access.revoked', endedAt, () => '');
  await ear.hears('subscribe.expired', endedAt, ({ status }) => String(status));
  ear.close();
}

async function moveTo(api: Api, { merchantToken: token }: Shop, what: string, to: number): Promise<number> {
  const began = performance.now();
  const fields = { to: Math.round(to) };
  await api.post(what, '/test-clock', fields, { token, expect: 200, read: Clock, tell: ({ now }) => day(now) });
  return began;
}

function read(api: Api, token: string, id: string): Promise<z.output<typeof Subscription>> {
  const tell = ({ status, current_period_end: end }: z.output<typeof Subscription>) => `${status} until ${day(end)}`;
  return api.get('reads it', `/subscriptions/${id}`, { token, expect: 200, read: Subscription, tell });
}

const amountOf = (payment: Record<string, unknown>) =>
  `${String(payment['formatted_amount'])}, ${String(payment['status'])}, until ${day(payment['current_period_end'])}`;
