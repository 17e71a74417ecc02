import { pool } from '../adapters/postgres/connection';
import { pendingMigrations } from '../adapters/postgres/migrate';
import { checkTemporal } from '../adapters/temporalConnection';
import { AppError } from '../kit/errors';

export function getLiveness() {
  return { status: 'live' as const };
}

let isStopping = false;

/** From now on the process is not ready, so that load balancers stop sending requests before it stops answering. */
export function announceShutdown(): void {
  isStopping = true;
}

/** Ready if the database answers and has this program's schema. */
export async function getReadiness() {
  if (isStopping) throw new AppError('service_unavailable', { explain: 'The process stops.', retryAfterSeconds: 2 });
  const pending = await pendingMigrations((text) => pool.query(text)).catch(() => undefined);
  if (pending === undefined || pending > 0)
    throw new AppError('service_unavailable', {
      explain: pending === undefined ? 'The database does not answer.' : 'The database waits for migrations.',
      retryAfterSeconds: 2,
    });
  const temporal = await checkTemporal().then(
    () => 'up' as const,
    () => 'down' as const,
  );
  return { status: 'ready' as const, database: 'up' as const, temporal };
}
