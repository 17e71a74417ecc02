import { IllegalStateError } from '@temporalio/common';
import { DefaultLogger, Runtime } from '@temporalio/worker';

/** The SDK's runtime, once a process, saying only what is wrong: servers that come and go are what the tests are about. */
export function installQuietRuntime(): void {
  try {
    Runtime.install({
      logger: new DefaultLogger('ERROR'),
      shutdownSignals: [],
      telemetryOptions: { logging: { filter: { core: 'ERROR', other: 'ERROR' } } },
    });
  } catch (error) {
    // An earlier file of this process has installed it.
    if (!(error instanceof IllegalStateError)) throw error;
  }
}
