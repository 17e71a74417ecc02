import { once } from 'node:events';
import { type Server } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { processRegistry, serveMetrics } from '../src/adapters/processMetrics';

/** The Prometheus metrics of a worker: those of Temporal's SDK, which has a server of its own, and those of this process. */

const local = '127.0.0.1';

/** An address for the server of the SDK, which cannot say which port it took. */
export async function findLocalAddress(): Promise<string> {
  const probe = createServer().listen(0, local);
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return `${local}:${port}`;
}

/** `sdkAddress`: where the SDK serves its metrics. */
export function createWorkerMetrics(sdkAddress: string): Server {
  return serveMetrics(async () => {
    const [ofProcess, ofSdk] = await Promise.all([processRegistry.metrics(), readSdk(sdkAddress)]);
    return ofProcess + ofSdk;
  });
}

async function readSdk(address: string): Promise<string> {
  const answer = await fetch(`http://${address}/metrics`);
  return answer.text();
}
