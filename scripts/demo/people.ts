import { z } from 'zod';
import { type Api } from './api';

const password = 'a password of the demo';

const Registered = z.object({ access_token: z.string(), account: z.object({ id: z.int(), uuid: z.uuid() }) });
const Submitted = z.object({ explain: z.string(), subscription_id: z.string() });

export function register(
  api: Api,
  who: string,
  type: 'merchant' | 'consumer',
  clientId: string,
): Promise<z.output<typeof Registered>> {
  const username = `${type}-${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}@example.org`;
  const fields = { full_name: 'Ana Petrova', username, password, password_confirmation: password, type };
  return api.post(
    `${who} registers`,
    '/accounts',
    { ...fields, client_id: clientId },
    { expect: 200, read: Registered, tell: ({ account }) => `account ${account.id}` },
  );
}

export function subscribe(api: Api, token: string, feeId: number, number: string): Promise<z.output<typeof Submitted>> {
  const card = { number, card_name: 'Ana Petrova', exp_month: 12, exp_year: 2040, cvv: 123 };
  return api.post(
    `subscribes, card ${number}`,
    '/subscriptions',
    { access_fee: feeId, payment_method: 1, ...card },
    { token, expect: 202, read: Submitted, tell: ({ explain }) => explain },
  );
}
