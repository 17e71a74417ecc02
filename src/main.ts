import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { waitForDataKey } from './adapters/dataKey';
import { logger } from './adapters/logger';
import { createMetricsServer } from './adapters/metrics';
import { closeDatabase } from './adapters/postgres/connection';
import { refuseUnlimitedPooler } from './adapters/postgres/pooler';
import { prepareDatabase } from './adapters/postgres/roles';
import { releaseStartupMemory } from './adapters/startupMemory';
import { closeTemporal } from './adapters/temporalConnection';
import { startTracing } from './adapters/tracing';
import { createApp } from './app';
import { config } from './config';
import { announceShutdown } from './health/health';

/** Past this a shutdown is stuck, and the supervisor's kill would come anyway. */
const stopWithinMs = 30_000;

/** An API process: `npm run api`. On SIGTERM it stops accepting, answers what runs, closes sockets, then the rest. */
async function main(): Promise<void> {
  const stopTracing = startTracing('paywall-api');
  await prepareDatabase();
  await refuseUnlimitedPooler();
  await waitForDataKey();
  const app = createApp();
  await app.start();
  releaseStartupMemory();
  app.server.listen(config.PORT, config.HOST);
  await once(app.server, 'listening');
  if (app.tlsServer) await once(app.tlsServer.listen(config.TLS_PORT, config.HOST), 'listening');
  const metrics = createMetricsServer().listen(config.METRICS_PORT, config.HOST);
  metrics.on('error', (error) => logger.warn({ reason: error.message }, 'the metrics cannot be served'));
  logger.info({ address: config.BASE_URL }, 'the API listens');
  const stop = async () => {
    setTimeout(() => process.exit(1), stopWithinMs).unref();
    announceShutdown();
    await delay(config.SHUTDOWN_DELAY_SECONDS * 1000);
    metrics.close();
    await app.stop();
    await closeTemporal();
    await closeDatabase();
    await stopTracing();
    process.exit(0);
  };
  process.once('SIGTERM', () => void stop());
  process.once('SIGINT', () => void stop());
}

main().catch((error: unknown) => {
  logger.fatal({ err: error }, 'the API stopped');
  process.exit(1);
});
