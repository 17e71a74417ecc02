import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { call, type Method, type Reply } from '../support/client';
import { type BackEnds } from './backEnds';
import { type HistoryFile, type Sent, type Told } from './history';
import { isPassing } from './operations';

/** The state that all actors share. */
export interface World {
  addresses: string[];
  history: HistoryFile;
  backEnds: BackEnds;
  /** The address of the app stores. Undefined: the service has none. */
  storesUrl?: string | undefined;
  /** Aborted when the run ends although requests have no answer yet. */
  ending: AbortSignal;
}

export interface Request {
  actor: string;
  operation: number;
  what: Sent['what'];
  method: Method;
  path: string;
  /** The body that is sent, and what the history keeps of it. */
  body: Record<string, unknown>;
  fields: Record<string, unknown>;
  token?: string | undefined;
}

export interface Manner {
  withKey: boolean;
  /** How often the request is sent again after its answer. */
  repeats: number;
  together: boolean;
}

export const patiently: Manner = { withKey: true, repeats: 0, together: false };

/** No fee has this currency, so that only the merchant's adjustments change a balance in it. */
export const adjustedCurrency = 'USD';

const answerWithinMs = 10_000;
/** The pause before the second attempt. Each further one is twice as long, up to the longest. */
const pauseMs = 500;
const longestPauseMs = 4_000;

type Body = Record<string, unknown>;

/**
 * Sends a request until it is answered, and sometimes again after that, always with the same key. A request without a key is
 * sent once. Undefined: no answer.
 */
export async function ask(world: World, request: Request, manner: Manner): Promise<Reply<Body> | undefined> {
  const key = manner.withKey && request.method === 'POST' ? randomUUID() : undefined;
  let attempt = 0;
  const untilAnswered = async () => {
    for (;;) {
      const reply = await send(world, request, key, (attempt += 1));
      if (reply && !isPassing({ status: reply.status, body: reply.body })) return reply;
      if ((key === undefined && request.method === 'POST') || world.ending.aborted) return undefined;
      await sleep(Math.min(longestPauseMs, pauseMs * 2 ** Math.min(attempt - 1, 10)) * (0.75 + Math.random() / 2));
    }
  };
  const again = () => (key === undefined ? Promise.resolve(undefined) : untilAnswered());
  if (manner.together) {
    const replies = await Promise.all(Array.from({ length: manner.repeats + 1 }, again));
    return key === undefined ? untilAnswered() : replies.find((reply) => reply !== undefined);
  }
  const reply = await untilAnswered();
  for (let repeat = 0; reply && repeat < manner.repeats; repeat += 1) await again();
  return reply;
}

async function send(
  { addresses, history }: World,
  request: Request,
  key: string | undefined,
  attempt: number,
): Promise<Reply<Body> | undefined> {
  const { actor, operation, what, method, path, fields, body, token } = request;
  const named = { actor, operation, attempt };
  history.add({ kind: 'sent', ...named, what, key, method, path, fields });
  // Registrations have negative numbers.
  const address = addresses[Math.abs(operation + attempt) % addresses.length] ?? '';
  try {
    const reply = await call<Body>({ address }, method, path, method === 'GET' ? undefined : body, {
      ...(token !== undefined && { token }),
      ...(key !== undefined && { headers: { 'Idempotency-Key': key } }),
      signal: AbortSignal.timeout(answerWithinMs),
    });
    history.add({ kind: 'answered', ...named, status: reply.status, body: toldBy(path, reply.body) });
    return reply;
  } catch (error) {
    history.add({ kind: 'unheard', ...named, reason: reasonOf(error) });
    return undefined;
  }
}

const kept = [
  ...(['subscription_id', 'transaction', 'external_payment_id', 'ahead', 'error', 'explain'] as const),
  ...(['status', 'cancel_at_period_end', 'access_fee_id', 'pending_access_fee_id'] as const),
];

function toldBy(path: string, body: Body | string): Told {
  // A page.
  if (typeof body === 'string') return {};
  const account = body['account'] as { uuid?: string } | undefined;
  const listed = (body['collection'] ?? []) as { currency?: string; balance?: number; subscription_id?: string }[];
  const balances = path.endsWith('/balances') ? listed : undefined;
  const adjusted = balances?.find(({ currency }) => currency === adjustedCurrency)?.balance ?? 0;
  const isList = path.startsWith('/subscriptions?');
  return {
    ...Object.fromEntries(kept.filter((field) => field in body).map((field) => [field, body[field]])),
    ...(account?.uuid !== undefined && { uuid: account.uuid }),
    ...(balances && { balanceMinor: Math.round(adjusted * 100) }),
    ...(isList && { listed: listed.flatMap(({ subscription_id: token }) => token ?? []) }),
  };
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? cause.message : message;
}
