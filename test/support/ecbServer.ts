import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';

/** A server on loopback that speaks the data API of the European Central Bank, for its exchange rates. */
export interface EcbServer {
  url: string;
  /** The paths of the requests, in their order. */
  asked: string[];
  /** How the server answers. By default with the rates of `published` in the period of the request. */
  answer: ((response: ServerResponse) => void) | undefined;
  /** The rates by day and currency, as the bank writes them. */
  published: Record<string, Record<string, string>>;
  stop: () => Promise<void>;
}

const columns = ['KEY', 'FREQ', 'CURRENCY', 'CURRENCY_DENOM', 'EXR_TYPE', 'EXR_SUFFIX', 'TIME_PERIOD', 'OBS_VALUE'];

/** The rates of a period as CSV, by currency and day. Without one the bank answers 404. */
function answerRates({ published }: EcbServer, query: URLSearchParams, response: ServerResponse): void {
  const [from, to] = [query.get('startPeriod') ?? '', query.get('endPeriod') ?? ''];
  const lines = Object.entries(published)
    .filter(([day]) => day >= from && day <= to)
    .flatMap(([day, rates]) =>
      Object.entries(rates).map(([currency, rate]) =>
        [
          `EXR.D.${currency}.EUR.SP00.A`,
          'D',
          currency,
          'EUR',
          'SP00',
          'A',
          day,
          rate.includes(',') ? `"${rate}"` : rate,
        ].join(),
      ),
    )
    .sort();
  if (lines.length === 0) return void response.writeHead(404).end('No results found.');
  response.writeHead(200, { 'Content-Type': 'text/csv' }).end([columns.join(), ...lines, ''].join('\r\n'));
}

export async function startEcbServer(): Promise<EcbServer> {
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    ecb.asked.push(path);
    if (ecb.answer) ecb.answer(response);
    else answerRates(ecb, new URL(path, ecb.url).searchParams, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const ecb: EcbServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/service`,
    asked: [],
    answer: undefined,
    published: {},
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return ecb;
}
