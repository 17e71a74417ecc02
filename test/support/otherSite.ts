import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';

/** A site that is not the service's own and answers each request with the present page. */
export async function startOtherSite(page: () => string) {
  const server = createServer((_request, response) => response.setHeader('Content-Type', 'text/html').end(page()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    stop: async (): Promise<void> => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export type OtherSite = Awaited<ReturnType<typeof startOtherSite>>;
