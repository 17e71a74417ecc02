import { isPortFree } from '../embedded/ports';
import { config } from '../../src/config';
import { type LauncherSettings } from './settings';

/** Runs before anything starts. The error for a busy port names the variable that selects another. */
export async function refuseBusyPorts(settings: LauncherSettings): Promise<void> {
  const complaints: string[] = [];
  for (const { port, variable, part } of portsOf(settings)) {
    if (port === 0 || (await isPortFree(port))) continue;
    complaints.push(`Port ${port}, for ${part}, is in use by another program: set ${variable} to a free one.`);
  }
  if (complaints.length > 0) throw new Error(complaints.join('\n'));
}

function portsOf({
  databaseUrl,
  databasePort,
  temporalAddress,
  temporalPort,
  temporalUiPort,
  storeSimulatorPort,
  paymentSimulatorPort,
}: LauncherSettings) {
  const database = [{ port: databasePort, variable: 'DATABASE_PORT', part: 'PostgreSQL' }];
  const temporal = [
    { port: temporalPort, variable: 'TEMPORAL_PORT', part: 'Temporal' },
    { port: temporalUiPort, variable: 'TEMPORAL_UI_PORT', part: 'the Temporal UI' },
  ];
  return [
    { port: config.PORT, variable: 'PORT', part: 'the API' },
    ...(config.TLS_CERT === undefined ? [] : [{ port: config.TLS_PORT, variable: 'TLS_PORT', part: 'https' }]),
    { port: config.METRICS_PORT, variable: 'METRICS_PORT', part: 'the metrics of the API' },
    { port: config.WORKER_METRICS_PORT, variable: 'WORKER_METRICS_PORT', part: 'the metrics of the worker' },
    { port: config.WORKER_HEALTH_PORT, variable: 'WORKER_HEALTH_PORT', part: 'the health of the worker' },
    ...(databaseUrl === undefined ? database : []),
    ...(temporalAddress === undefined ? temporal : []),
    ...(storeSimulatorPort === undefined
      ? []
      : [{ port: storeSimulatorPort, variable: 'STORE_SIMULATOR_PORT', part: 'the simulated app stores' }]),
    ...(paymentSimulatorPort === undefined
      ? []
      : [{ port: paymentSimulatorPort, variable: 'PAYMENT_SIMULATOR_PORT', part: 'the sandbox of payments' }]),
  ];
}
