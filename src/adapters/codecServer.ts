import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import express, { type NextFunction, type Request, type Response, Router } from 'express';
import { type Payload } from '@temporalio/common';
import { config } from '../config';
import { bearerToken } from '../kit/auth';
import { html } from '../kit/html';
import { unixSeconds } from '../kit/time';
import { logger } from './logger';
import { readingCodec } from './payloadCodec';

/**
 * Temporal's remote codec protocol: `POST /codec/decode` and `/codec/encode`. With it the Temporal UI and the
 * `temporal` command show the content of histories to operators. An operator proves access with OPERATOR_TOKEN: as a
 * bearer token or, since the UI cannot send one, entered once on the page `/codec`. The test environment trusts this
 * machine. Production without an OPERATOR_TOKEN has no codec server.
 */

const isSecure = config.BASE_URL.startsWith('https:');
/** Over https no other host of the same domain can set it. */
const cookieName = isSecure ? '__Host-paywall_operator' : 'paywall_operator';
const signedInSeconds = 8 * 3600;
const bodyMax = '8mb';
const loopback = /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/;

interface WirePayload {
  metadata?: Record<string, string>;
  data?: string;
}

export function codecServer(): Router {
  const router = Router();
  if (config.ENVIRONMENT === 'production' && config.OPERATOR_TOKEN === undefined) return router;
  const json = express.json({ limit: bodyMax });
  const form = express.urlencoded({ extended: false, limit: '4kb' });
  router.get('/codec', (_request, response) => void response.set('Cache-Control', 'no-store').send(signInPage()));
  router.post('/codec', form, signIn);
  router.use('/codec', allowUi, requireOperator);
  router.post('/codec/decode', json, (request, response) => answer(request, response, 'decode'));
  router.post('/codec/encode', json, (request, response) => answer(request, response, 'encode'));
  router.use('/codec', (_error: unknown, _request: Request, response: Response, _next: NextFunction) => {
    response.status(400).json({ message: 'A list of payloads is expected.' });
  });
  return router;
}

/** Only the Temporal UI's pages may read an answer; any other page of the operator's browser is refused. */
function allowUi(request: Request, response: Response, next: NextFunction): void {
  const { origin } = request.headers;
  response.set({ Vary: 'Origin', 'Cache-Control': 'no-store' });
  if (origin !== undefined) {
    if (!isUi(origin)) return void response.status(403).json({ message: 'Not a page of TEMPORAL_UI_URL.' });
    response.set({
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Allow-Credentials': 'true',
      'Access-Control-Allow-Methods': 'POST',
      'Access-Control-Allow-Headers': 'Authorization, Content-Type, X-Namespace',
    });
  }
  if (request.method === 'OPTIONS') return void response.status(204).end();
  next();
}

function isUi(origin: string): boolean {
  if (config.TEMPORAL_UI_URL === undefined) return false;
  const ui = new URL(config.TEMPORAL_UI_URL);
  if (origin === ui.origin) return true;
  // This machine has two names, and `npm start` prints only one of them.
  const names = ['localhost', '127.0.0.1'];
  const twins = names.includes(ui.hostname) ? names.map((name) => `${ui.protocol}//${name}:${ui.port}`) : [];
  return config.ENVIRONMENT === 'test' && twins.includes(origin);
}

function requireOperator(request: Request, response: Response, next: NextFunction): void {
  if (isOperator(request)) return next();
  response.status(401).json({ message: 'Enter the OPERATOR_TOKEN at /codec, or send it as a bearer token.' });
}

function isOperator(request: Request): boolean {
  if (config.OPERATOR_TOKEN === undefined) return loopback.test(request.ip ?? '');
  const bearer = bearerToken(request.headers.authorization);
  if (bearer !== undefined) return isSame(bearer, config.OPERATOR_TOKEN);
  const cookie = new RegExp(`(?:^|; *)${cookieName}=(\\d+)\\.([\\w-]+)`).exec(request.headers.cookie ?? '');
  const [, expires = '0', signature = ''] = cookie ?? [];
  return Number(expires) > unixSeconds(new Date()) && isSame(signature, signatureOf(expires));
}

/** The cookie contains its expiry and a proof that the browser's user knew the token, but not the token. */
function signIn(request: Request, response: Response): void {
  const { token } = (request.body ?? {}) as { token?: unknown };
  if (config.OPERATOR_TOKEN === undefined || typeof token !== 'string' || !isSame(token, config.OPERATOR_TOKEN))
    return void response.status(401).send(signInPage('This is not the token.'));
  const expires = String(unixSeconds(new Date()) + signedInSeconds);
  const secure = isSecure ? '; Secure' : '';
  response.set(
    'Set-Cookie',
    `${cookieName}=${expires}.${signatureOf(expires)}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${signedInSeconds}${secure}`,
  );
  response.send(signInPage('The Temporal UI may read payloads for eight hours from now on, in this browser.'));
}

function signatureOf(expires: string): string {
  return createHmac('sha256', config.OPERATOR_TOKEN ?? '')
    .update(`codec until ${expires}`)
    .digest('base64url');
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [given, expected].map((text) => createHash('sha256').update(text).digest()) as [Buffer, Buffer];
  return timingSafeEqual(one, other);
}

async function answer(request: Request, response: Response, direction: 'decode' | 'encode'): Promise<void> {
  const { payloads } = (request.body ?? {}) as { payloads?: unknown };
  if (!Array.isArray(payloads) || !payloads.every(isWirePayload))
    return void response.status(400).json({ message: 'A list of payloads is expected.' });
  try {
    const converted = await readingCodec[direction](payloads.map(fromWire));
    logger.info({ payloads: payloads.length, direction, address: request.ip }, 'an operator read payloads');
    response.json({ payloads: converted.map(toWire) });
  } catch (error) {
    logger.warn({ reason: (error as Error).message }, 'payloads cannot be read');
    response.status(503).json({ message: 'The keys cannot be read now.' });
  }
}

function isWirePayload(value: unknown): value is WirePayload {
  if (typeof value !== 'object' || value === null) return false;
  const { metadata = {}, data = '' } = value as { metadata?: unknown; data?: unknown };
  const areTexts = typeof metadata === 'object' && metadata !== null && typeof data === 'string';
  return areTexts && Object.values(metadata).every((text) => typeof text === 'string');
}

function fromWire({ metadata = {}, data = '' }: WirePayload): Payload {
  const fields = Object.entries(metadata).map(([name, text]) => [name, Buffer.from(text, 'base64')] as const);
  return { metadata: Object.fromEntries(fields), data: Buffer.from(data, 'base64') };
}

function toWire({ metadata, data }: Payload): WirePayload {
  const base64 = (bytes: Uint8Array | null | undefined) => Buffer.from(bytes ?? []).toString('base64');
  const fields = Object.entries(metadata ?? {}).map(([name, bytes]) => [name, base64(bytes)] as const);
  return { metadata: Object.fromEntries(fields), data: base64(data) };
}

function signInPage(words = ''): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Payloads for operators</title>
      </head>
      <body>
        <h1>Payloads for operators</h1>
        <p>${words}</p>
        <form method="post" action="/codec">
          <label>OPERATOR_TOKEN <input type="password" name="token" autocomplete="off" required /></label>
          <button>Let the Temporal UI read</button>
        </form>
      </body>
    </html>`.text;
}
