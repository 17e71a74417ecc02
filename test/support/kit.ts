import { once } from 'node:events';
import { type AddressInfo } from 'node:net';
import express, { type RequestHandler } from 'express';
import pino from 'pino';
import { type Caller } from '../../src/kit/auth';
import { type Endpoints } from '../../src/kit/endpoint';
import { AppError } from '../../src/kit/errors';
import { headersOfAnswers, endpoints, mountUnmatched } from '../../src/kit/http';
import { Idempotency, type IdempotencyStore, type KeyState } from '../../src/kit/idempotency';
import { type KitDependencies } from '../../src/kit/dependencies';
import { RateLimiter } from '../../src/kit/rateLimit';
import { routeTable } from '../../src/kit/routes';
import { createHttpServer } from '../../src/kit/server';

export interface Kit {
  address: string;
  stop(): Promise<void>;
}

/**
 * The kit with endpoints of the test and no database. The tokens `consumer` and `merchant` sign in. `middleware`
 * is mounted before the endpoints.
 */
export async function startKit(
  declared: Endpoints,
  changes: Partial<KitDependencies> = {},
  middleware: readonly RequestHandler[] = [],
): Promise<Kit> {
  const { parts, stop } = kitParts(changes);
  const routes = routeTable([declared]);
  const app = express().disable('x-powered-by');
  for (const handler of middleware) app.use(handler);
  app.use(endpoints(routes, parts));
  mountUnmatched(app, routes, parts);
  const server = createHttpServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      stop();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The dependencies of the kit, without a database. */
export function kitParts(changes: Partial<KitDependencies> = {}): { parts: KitDependencies; stop: () => void } {
  const rateLimiter = new RateLimiter({ add: (counts) => Promise.resolve(new Map(counts)) });
  const parts: KitDependencies = {
    authenticate: (token, clientAddress) => Promise.resolve(callerOf(token, clientAddress)),
    requireRecentFactor: () => Promise.resolve(),
    recordActing: (_caller, _write, work) => Promise.resolve(work()),
    withinMerchantOf: (_caller, run) => run(),
    featuresOff: () => Promise.resolve(new Set()),
    rateLimiter,
    limits: {
      credentials: 1_000_000,
      signIns: 1_000_000,
      registrations: 1_000_000,
      normal: 1_000_000,
      anonymous: 1_000_000,
    },
    idempotency: new Idempotency(memoryStore(), Buffer.alloc(32)),
    logger: pino({ level: 'silent' }),
    checkAnswers: true,
    refused: () => undefined,
    observe: () => undefined,
    ownHost: 'own.example.org',
    headers: headersOfAnswers({}),
    ...changes,
  };
  return { parts, stop: () => rateLimiter.stop() };
}

function callerOf(token: string | undefined, clientAddress: string): Caller {
  if (token !== 'consumer' && token !== 'merchant') throw new AppError('invalid_auth_token');
  const uuid = '00000000-0000-4000-8000-000000000001';
  const accountId = token === 'merchant' ? 1 : 2;
  const who = { accountId, accountUuid: uuid, merchantId: 1, merchantUuid: uuid, sessionId: token, clientAddress };
  return { ...who, dateOfBirth: null, role: token, scopes: token === 'merchant' ? ['items:write'] : [] };
}

function memoryStore(): IdempotencyStore {
  const kept = new Map<string, { requestHash: string; sealedAnswer: Buffer | undefined }>();
  return {
    once: async ({ scope, key, requestHash }, work): Promise<KeyState> => {
      const known = kept.get(`${scope} ${key}`);
      if (known && known.requestHash !== requestHash) return { state: 'other_request' };
      if (known?.sealedAnswer) return { state: 'answered', sealedAnswer: known.sealedAnswer };
      kept.set(`${scope} ${key}`, { requestHash, sealedAnswer: await work() });
      return { state: 'done' };
    },
  };
}
