import { type z } from 'zod';
import { AppError } from '../../kit/errors';
import { inSpan, providerSpan } from '../../kit/tracing';
import { logger } from '../logger';
import { MisconfiguredProvider, type MisconfiguredOutcome } from './provider';
import { WireError } from './sandboxWire';

/** What became of a request. `not_sent`: the sandbox did nothing. `unknown`: it may have done the work. */
export type Exchange<T> =
  | { outcome: 'answered'; body: T }
  | { outcome: 'refused'; error: WireError }
  | MisconfiguredOutcome
  | { outcome: 'not_sent' | 'unknown' };

export interface SandboxAccess {
  /** The address of the sandbox, without a slash at its end. */
  apiBase: string;
  /** The key of the account at the sandbox. */
  key: string;
  timeoutMs: number;
}

export interface SandboxClient {
  get<T>(path: string, shape: z.ZodType<T>, query?: Record<string, string | undefined>): Promise<Exchange<T>>;
  post<T>(path: string, shape: z.ZodType<T>, body: object): Promise<Exchange<T>>;
}

export function createSandboxClient({ apiBase, key, timeoutMs }: SandboxAccess): SandboxClient {
  const send = <T>(path: string, shape: z.ZodType<T>, init: RequestInit): Promise<Exchange<T>> =>
    inSpan(providerSpan('sandbox', init.method ?? 'GET'), () => exchange(path, shape, init));
  const exchange = async <T>(path: string, shape: z.ZodType<T>, init: RequestInit): Promise<Exchange<T>> => {
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
    try {
      const answer = await fetch(`${apiBase}/v1/${path}`, { ...init, headers, signal: AbortSignal.timeout(timeoutMs) });
      const body: unknown = await answer.json();
      return answer.ok ? { outcome: 'answered', body: shape.parse(body) } : refusalOf(answer.status, body);
    } catch (error) {
      logger.warn({ path, reason: String((error as Error).cause ?? error) }, 'the sandbox did not answer');
      return { outcome: isUnsent(error) ? 'not_sent' : 'unknown' };
    }
  };
  return {
    get: (path, shape, query = {}) => {
      const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
      return send(`${path}?${new URLSearchParams(given).toString()}`, shape, { method: 'GET' });
    },
    post: (path, shape, body) => send(path, shape, { method: 'POST', body: JSON.stringify(body) }),
  };
}

/** The answer of a request that has no outcomes of its own. Throws the errors of `CardProvider.tokenise`. */
export function answered<T>(exchange: Exchange<T>): T {
  if (exchange.outcome === 'answered') return exchange.body;
  if (exchange.outcome === 'misconfigured') throw new MisconfiguredProvider(exchange.fault);
  if (exchange.outcome !== 'refused')
    throw new AppError('service_unavailable', { explain: 'Payment provider unavailable', retryAfterSeconds: 5 });
  const { field, message } = exchange.error;
  if (field !== undefined) throw new AppError('invalid_input', { errors: { [field]: message } });
  throw new Error(message);
}

function refusalOf(status: number, body: unknown): Exchange<never> {
  const { error } = WireError.parse(body);
  if (status === 429 || status === 503) return { outcome: 'not_sent' };
  if (status === 401 || status === 403)
    return { outcome: 'misconfigured', fault: { code: error.code, message: error.message }, isKept: true };
  return status < 500 ? { outcome: 'refused', error } : { outcome: 'unknown' };
}

const unsentCodes = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'];

/** Whether no connection was made, so that the sandbox never saw the request. */
function isUnsent(error: unknown): boolean {
  const { code } = ((error as Error).cause ?? {}) as { code?: string };
  return code !== undefined && unsentCodes.includes(code);
}
