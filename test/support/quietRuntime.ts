import { DefaultLogger, Runtime } from '@temporalio/worker';

let isInstalled = false;

/** The SDK's runtime, once a process, saying only what is wrong: servers that come and go are what the tests are about. */
export function installQuietRuntime(): void {
  if (isInstalled) return;
  isInstalled = true;
  Runtime.install({
    logger: new DefaultLogger('ERROR'),
    shutdownSignals: [],
    telemetryOptions: { logging: { filter: { core: 'ERROR', other: 'ERROR' } } },
  });
}
