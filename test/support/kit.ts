import { once } from 'node:events';
import { type AddressInfo } from 'node:net';
import express from 'express';
import pino from 'pino';
import { type Caller } from '../../src/kit/auth';
import { type Endpoints } from '../../src/kit/endpoint';
import { AppError } from '../../src/kit/errors';
import { headersOfAnswers, endpointHandler, mountUnmatched } from '../../src/kit/http';
import { Idempotency, type IdempotencyStore, type KeyState } from '../../src/kit/idempotency';
import { type KitParts } from '../../src/kit/parts';
import { RateLimiter } from '../../src/kit/rateLimit';
import { routeTable } from '../../src/kit/routes';
import { createHttpServer } from '../../src/kit/server';

export interface Kit {
  address: string;
  stop(): Promise<void>;
}

/** The kit with endpoints of the test's own, and nothing behind them. A token `consumer` or `merchant` signs in. */
export async function startKit(endpoints: Endpoints, changes: Partial<KitParts> = {}): Promise<Kit> {
  const { parts, stop } = kitParts(changes);
  const routes = routeTable([endpoints]);
  const app = express();
  mountUnmatched(app, routes, parts);
  const server = createHttpServer(app, endpointHandler(routes, parts)).listen(0, '127.0.0.1');
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

/** What the kit needs from outside, with nothing behind it. */
export function kitParts(changes: Partial<KitParts> = {}): { parts: KitParts; stop: () => void } {
  const rateLimiter = new RateLimiter({ add: (counts) => Promise.resolve(new Map(counts)) });
  const parts: KitParts = {
    authenticate: (token, clientAddress) => Promise.resolve(callerOf(token, clientAddress)),
    featuresOff: () => Promise.resolve(new Set()),
    rateLimiter,
    limits: { credentials: 1_000_000, normal: 1_000_000 },
    idempotency: new Idempotency(memoryStore(), Buffer.alloc(32)),
    logger: pino({ level: 'silent' }),
    checkAnswers: true,
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
  const kept = new Map<string, { requestHash: string; sealedAnswer?: Buffer }>();
  return {
    claim: (scope, key, requestHash): Promise<KeyState> => {
      const known = kept.get(`${scope} ${key}`);
      if (!known) kept.set(`${scope} ${key}`, { requestHash });
      if (!known) return Promise.resolve({ state: 'new' });
      if (known.requestHash !== requestHash) return Promise.resolve({ state: 'other_request' });
      const { sealedAnswer } = known;
      return Promise.resolve(sealedAnswer ? { state: 'answered', sealedAnswer } : { state: 'running' });
    },
    answer: (scope, key, sealedAnswer) => {
      const known = kept.get(`${scope} ${key}`);
      if (known) known.sealedAnswer = sealedAnswer;
      return Promise.resolve();
    },
    release: (scope, key) => {
      kept.delete(`${scope} ${key}`);
      return Promise.resolve();
    },
  };
}
