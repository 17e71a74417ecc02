import { createHmac } from 'node:crypto';
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import qs from 'qs';
import { config } from '../config';
import { checkedLookup, isPublicAddress, PrivateAddressError, resolveHost, type Resolve } from './publicAddresses';

/** `standard`: JSON with the headers of Standard Webhooks. `form`: as merchants' older back ends read them (wire C.5). */
export type WebhookFormat = 'standard' | 'form';

export interface OutgoingWebhook {
  url: string;
  format: WebhookFormat;
  /** The same at each attempt, so that a receiver knows what it has had. */
  id: string;
  /** Those that live, the newest first. */
  secrets: string[];
  payload: object;
}

/** What came of one attempt: an answer with its status, or why there was none. */
export interface WebhookReply {
  status: number | null;
  /** As far as it is kept. */
  body: string;
  /** `timeout`, `private_address`, or the system's code of what went wrong. */
  error: string | null;
  durationMs: number;
}

export interface SendingLimits {
  timeLimitMs?: number;
  allowPrivate?: boolean;
  resolve?: Resolve;
}

/** What is kept of an answer; nothing after it is read. */
const answerBytes = 1024;
const secretPrefix = 'whsec_';

/** One POST. Nothing that a receiver does makes it throw; a redirect is an answer like any other. */
export async function sendWebhook(webhook: OutgoingWebhook, limits: SendingLimits = {}): Promise<WebhookReply> {
  const { timeLimitMs = 10_000, allowPrivate = config.WEBHOOK_ALLOW_PRIVATE, resolve = resolveHost } = limits;
  const isAllowed = allowPrivate ? () => true : isPublicAddress;
  const reply: WebhookReply = { status: null, body: '', error: null, durationMs: 0 };
  const startedMs = performance.now();
  const signal = AbortSignal.timeout(timeLimitMs);
  try {
    // Of an address there is nothing to look up, so that nobody would be asked.
    const literal = new URL(webhook.url).hostname.replace(/^\[(.*)\]$/, '$1');
    if (isIP(literal) !== 0 && !isAllowed(literal)) throw new PrivateAddressError('not a public address');
    const answer = await post(webhook, { signal, lookup: checkedLookup(resolve, isAllowed) });
    reply.status = answer.statusCode ?? null;
    reply.body = await readStart(answer);
  } catch (error) {
    reply.error = signal.aborted ? 'timeout' : reasonOf(error);
  }
  return { ...reply, durationMs: Math.round(performance.now() - startedMs) };
}

/** A fresh connection each time, since one that is kept is not looked up again. */
function post(webhook: OutgoingWebhook, options: RequestOptions): Promise<IncomingMessage> {
  const { headers, body } = written(webhook, Math.floor(Date.now() / 1000));
  const send = webhook.url.startsWith('https:') ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const request = send(webhook.url, {
      ...options,
      method: 'POST',
      agent: false,
      headers: {
        ...headers,
        'User-Agent': 'Paywall-Webhooks/1',
        'Content-Length': Buffer.byteLength(body),
        Connection: 'close',
      },
    });
    request.once('response', resolve);
    request.on('error', reject);
    request.end(body);
  });
}

async function readStart(answer: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of answer) {
    parts.push(part as Buffer);
    length += (part as Buffer).length;
    // Leaving the loop closes the connection.
    if (length >= answerBytes) break;
  }
  // PostgreSQL's text has no place for a NUL.
  return Buffer.concat(parts).subarray(0, answerBytes).toString('utf8').replaceAll('\0', '\ufffd');
}

function written({ format, id, secrets, payload }: OutgoingWebhook, timestamp: number) {
  if (format === 'form') {
    const body = qs.stringify(payload);
    // One place for one signature: until the older secret ends, receivers that know only that one go on.
    const signature = hmac(secrets.at(-1) ?? '', body).toString('hex');
    const type = 'application/x-www-form-urlencoded';
    return { body, headers: { 'Content-Type': type, 'X-Paywall-Signature': `sha256=${signature}` } };
  }
  const body = JSON.stringify(payload);
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(secretPrefix.length), 'base64');
    return `v1,${hmac(key, `${id}.${timestamp}.${body}`).toString('base64')}`;
  });
  return {
    body,
    headers: {
      'Content-Type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signatures.join(' '),
    },
  };
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function reasonOf(error: unknown): string {
  if (error instanceof PrivateAddressError) return 'private_address';
  const { code, name } = error as { code?: string; name?: string };
  return code ?? name ?? 'error';
}
