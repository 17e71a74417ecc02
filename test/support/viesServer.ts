import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';

/** A server on loopback that speaks the REST API of VIES. */
export interface ViesServer {
  url: string;
  /** The paths of the look-ups, in their order. */
  asked: string[];
  /** How the server answers. */
  answer: (response: ServerResponse) => void;
  stop: () => Promise<void>;
}

/** The answers of VIES. `requestIdentifier` is empty if the request names no requester. Dashes: the register gives no name. */
export const saying =
  (userError: string, requestIdentifier = '', { name = '---', address = '---' } = {}) =>
  (response: ServerResponse) => {
    const isValid = userError === 'VALID';
    const told = { name, address, requestIdentifier };
    const body = { isValid, requestDate: new Date().toISOString(), userError, ...told };
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  };

export async function startViesServer(): Promise<ViesServer> {
  const server = createServer((request, response) => {
    vies.asked.push(request.url ?? '');
    vies.answer(response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const vies: ViesServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/rest-api`,
    asked: [],
    answer: saying('VALID'),
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return vies;
}
