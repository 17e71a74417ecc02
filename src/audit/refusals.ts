import { LRUCache } from 'lru-cache';
import { logger } from '../adapters/logger';
import { transaction } from '../adapters/postgres/connection';
import { apart } from '../adapters/postgres/requestWork';
import { type Caller } from '../kit/auth';
import { manyEntries } from '../kit/manyEntries';
import { audit } from './audit';

/** A caller that repeats a refused request fills no log: each replica records it once per hour. */
const recorded = new LRUCache<string, true>({ ...manyEntries(10_000), ttl: 3_600_000 });

/** Records a request that its caller has no right to (403). `endpoint`: `POST:/v2/vouchers`. Does not delay the answer. */
export function recordRefusal(caller: Caller, endpoint: string): void {
  const key = `${caller.accountId} ${caller.actorUuid ?? ''} ${endpoint}`;
  if (recorded.has(key)) return;
  recorded.set(key, true);
  const write = () =>
    transaction((inTransaction) =>
      audit(inTransaction, caller, { action: 'request.refuse', object: ['endpoint', endpoint.slice(0, 100)] }),
    );
  apart(write).catch((error: unknown) => {
    recorded.delete(key);
    logger.warn({ err: error }, 'a refusal was not recorded');
  });
}
