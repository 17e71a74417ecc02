import { createHmac } from 'node:crypto';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import qs from 'qs';
import { config } from '../config';
import {
  checkedLookup,
  isPublicAddress,
  PrivateAddressError,
  refusePrivateLiteral,
  resolveHost,
  type Resolve,
} from './publicAddresses';

/** `standard`: JSON with the headers of Standard Webhooks. `form`: the form fields that older merchant servers read. */
export type WebhookFormat = 'standard' | 'form';

export interface OutgoingWebhook {
  url: string;
  format: WebhookFormat;
  /** The same at each attempt, so that a receiver can ignore repeated webhooks. */
  id: string;
  /** The valid secrets, newest first. */
  secrets: string[];
  payload: object;
}

/** The result of one attempt: an answer with its status, or the reason why there was none. */
export interface WebhookReply {
  status: number | null;
  /** The first `answerBytes` of the body. */
  body: string;
  /** `timeout`, `private_address`, or the system's error code. */
  error: string | null;
  durationMs: number;
  /** The receiver's `Retry-After`; absent if it sent none. */
  retryAfterSeconds?: number;
}

/** Connections that are kept open between webhooks. A receiver's host name is resolved again when they are closed. */
export interface WebhookConnections {
  http: HttpAgent;
  https: HttpsAgent;
}

export function openWebhookConnections(): WebhookConnections {
  return { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) };
}

export function closeWebhookConnections({ http, https }: WebhookConnections): void {
  http.destroy();
  https.destroy();
}

export interface SendingLimits {
  timeLimitMs?: number;
  allowPrivate?: boolean;
  resolve?: Resolve;
  /** Absent: each webhook uses a connection of its own. */
  connections?: WebhookConnections | undefined;
}

/** How many bytes of an answer are stored. Nothing after them is read. */
const answerBytes = 1024;
const secretPrefix = 'whsec_';
const closedCodes: (string | undefined)[] = ['ECONNRESET', 'EPIPE'];

/** Sends one POST. It never throws because of the receiver. A redirect is not followed. */
export async function sendWebhook(webhook: OutgoingWebhook, limits: SendingLimits = {}): Promise<WebhookReply> {
  const { timeLimitMs = 10_000, allowPrivate = config.WEBHOOK_ALLOW_PRIVATE, resolve = resolveHost } = limits;
  const isAllowed = allowPrivate ? () => true : isPublicAddress;
  const reply: WebhookReply = { status: null, body: '', error: null, durationMs: 0 };
  const startedMs = performance.now();
  const signal = AbortSignal.timeout(timeLimitMs);
  try {
    refusePrivateLiteral(webhook.url, isAllowed);
    const options = { signal, lookup: checkedLookup(resolve, isAllowed) };
    const answer = await postAgainIfClosed(webhook, options, limits.connections);
    reply.status = answer.statusCode ?? null;
    const retryAfterSeconds = readRetryAfter(answer.headers['retry-after']);
    if (retryAfterSeconds !== undefined) reply.retryAfterSeconds = retryAfterSeconds;
    reply.body = await readStart(answer);
  } catch (error) {
    reply.error = signal.aborted ? 'timeout' : reasonOf(error);
  }
  return { ...reply, durationMs: Math.round(performance.now() - startedMs) };
}

/** A receiver may close a kept connection just as it is used again. The webhook is then sent on a new connection. */
async function postAgainIfClosed(
  webhook: OutgoingWebhook,
  options: RequestOptions,
  connections: WebhookConnections | undefined,
): Promise<IncomingMessage> {
  const first = await post(webhook, options, connections);
  return first === 'closed' ? asAnswer(await post(webhook, options, undefined)) : first;
}

function asAnswer(answer: IncomingMessage | 'closed'): IncomingMessage {
  if (answer === 'closed') throw new Error('a new connection was reported as reused');
  return answer;
}

function post(
  webhook: OutgoingWebhook,
  options: RequestOptions,
  connections: WebhookConnections | undefined,
): Promise<IncomingMessage | 'closed'> {
  const { headers, body } = written(webhook, Math.floor(Date.now() / 1000));
  const isHttps = webhook.url.startsWith('https:');
  const send = isHttps ? httpsRequest : httpRequest;
  const agent = isHttps ? connections?.https : connections?.http;
  return new Promise((resolve, reject) => {
    const request = send(webhook.url, {
      ...options,
      method: 'POST',
      agent: agent ?? false,
      headers: {
        ...headers,
        'User-Agent': 'Paywall-Webhooks/1',
        'Content-Length': Buffer.byteLength(body),
        Connection: agent ? 'keep-alive' : 'close',
      },
    });
    request.once('response', resolve);
    request.on('error', (error: NodeJS.ErrnoException) => {
      if (request.reusedSocket && closedCodes.includes(error.code)) resolve('closed');
      else reject(error);
    });
    request.end(body);
  });
}

/** Reads `Retry-After`: seconds or an HTTP date. Any other text is ignored. */
function readRetryAfter(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const atMs = /\sGMT$/.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, Math.ceil((atMs - Date.now()) / 1000));
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
  // PostgreSQL cannot store NUL in a text.
  return Buffer.concat(parts).subarray(0, answerBytes).toString('utf8').replaceAll('\0', '\ufffd');
}

function written({ format, id, secrets, payload }: OutgoingWebhook, timestamp: number) {
  if (format === 'form') {
    const body = qs.stringify(payload);
    // The form format has room for one signature. Until the older secret ends, receivers that know only that secret can
    // verify the webhook.
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
