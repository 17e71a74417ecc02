import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { WebSocket } from 'ws';
import { type Product } from './parts';
import { type Seeded } from './seed';

export interface Buyer {
  /** Resolves when the success event arrives on the socket. */
  subscribe: () => Promise<void>;
  /** Resolves with the answer to the request. `success` resolves when the success event arrives on the socket. */
  submit: () => Promise<{ success: Promise<void> }>;
  close: () => void;
}

/** The merchant's socket receives the events of all its customers. Each subscription is for another customer. */
export async function openBuyer({ apiPort }: Product, { merchant, subscribers, feeId }: Seeded): Promise<Buyer> {
  const waiting = new Map<string, () => void>();
  const early = new Set<string>();
  const socket = new WebSocket(`ws://127.0.0.1:${apiPort}/notifications?merchant_uuid=${merchant.uuid}`, {
    headers: { Authorization: `Bearer ${merchant.token}` },
  });
  socket.on('message', (text: Buffer) => {
    const { type, resource } = JSON.parse(text.toString()) as { type: string; resource: { subscription_id: string } };
    if (type !== 'subscribe.success') return;
    const resolve = waiting.get(resource.subscription_id);
    if (resolve) resolve();
    else early.add(resource.subscription_id);
  });
  await once(socket, 'open');
  const agent = new Agent({ keepAlive: true });
  const form = `access_fee=${feeId}&payment_method=1&number=4242424242424242&card_name=B&exp_month=2&exp_year=2040&cvv=123`;
  const submit = async () => {
    const token = subscribers.pop() ?? '';
    const { subscription_id: id } = await postForm({ agent, port: apiPort, path: '/subscriptions', form, token });
    return { success: new Promise<void>((resolve) => (early.delete(id) ? resolve() : waiting.set(id, resolve))) };
  };
  return {
    submit,
    subscribe: async () => (await submit()).success,
    close: () => {
      socket.close();
      agent.destroy();
    },
  };
}

interface Post {
  agent: Agent;
  port: number;
  path: string;
  form: string;
  token: string;
}

async function postForm({ agent, port, path, form, token }: Post): Promise<{ subscription_id: string }> {
  const sending = request({
    agent,
    port,
    path,
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/x-www-form-urlencoded',
      'Content-Length': Buffer.byteLength(form),
    },
  });
  sending.end(form);
  const [response] = (await once(sending, 'response')) as [AsyncIterable<Buffer> & { statusCode: number }];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  if (response.statusCode !== 202) throw new Error(`POST ${path} answered ${response.statusCode}: ${text}`);
  return JSON.parse(text) as { subscription_id: string };
}
