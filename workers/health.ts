import { createServer, type Server } from 'node:http';
import { pool } from '../src/adapters/postgres/connection';
import { pendingMigrations } from '../src/adapters/postgres/migrate';
import { checkTemporal } from '../src/adapters/temporalConnection';

interface Answer {
  status: number;
  body: object;
}

/**
 * `/health/live` and `/health/ready` of a worker, for probes. A worker is ready while it polls, the database answers with this
 * program's schema, and Temporal answers. A worker that stops does not poll.
 */
export function createHealthServer(isPolling: () => boolean): Server {
  return createServer((request, response) => {
    void answerTo(request.url, isPolling).then(({ status, body }) =>
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body)),
    );
  });
}

async function answerTo(path: string | undefined, isPolling: () => boolean): Promise<Answer> {
  if (path === '/health/live') return { status: 200, body: { status: 'live' } };
  if (path !== '/health/ready') return { status: 404, body: {} };
  const explain = await findObstacle(isPolling);
  if (explain === undefined) return { status: 200, body: { status: 'ready', database: 'up', temporal: 'up' } };
  return { status: 503, body: { status: 'not_ready', explain } };
}

async function findObstacle(isPolling: () => boolean): Promise<string | undefined> {
  if (!isPolling()) return 'The worker does not poll.';
  const pending = await pendingMigrations((text) => pool.query(text)).catch(() => undefined);
  if (pending === undefined) return 'The database does not answer.';
  if (pending > 0) return 'The database waits for migrations.';
  return checkTemporal().then(
    () => undefined,
    () => 'Temporal does not answer.',
  );
}
