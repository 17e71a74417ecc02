import { IllegalStateError } from '@temporalio/common';
import { DefaultLogger, Runtime } from '@temporalio/worker';

/** The runtime of the SDK, once for each process. It logs errors only, because the tests stop and start servers. */
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
