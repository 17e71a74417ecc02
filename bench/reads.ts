import { withClient } from './database';
import { Loader } from './load';
import { type BareParts, type Setting } from './parts';
import { openViewers, type Viewing } from './viewers';
import { type Line, median } from './table';

/** Short rounds in turn, so that other load on the machine affects all requests. */
const rounds = 9;
const secondsPerRound = 1;
const connections = 32;
const differentRequests = 5_000;

/** Other frequent reads as a share of the rate of the access check, on a million entitlements. */
export async function compareReads({ product, tell }: Setting & { bare: BareParts }): Promise<Line[]> {
  const viewing = await openViewers(product.databaseUrl);
  const ids = await withClient(product.databaseUrl, (client) =>
    client.query<{ id: number }>('SELECT id FROM items ORDER BY md5(id::text) LIMIT $1', [differentRequests]),
  );
  const itemIds = ids.rows.map(({ id }) => id);
  const sides = {
    check: ofViewers(viewing, ({ itemId }) => `/items/${itemId}/access`),
    purchases: ofViewers(viewing, () => '/items/access/customers?size=15'),
    subscriptions: ofViewers(viewing, () => '/subscriptions?size=15'),
    prices: itemIds.map((id) => requestText(`/v2/items/${id}/access-fees`)),
    card: itemIds.map((id) => requestText(`/items/${id}`)),
  };
  type Name = keyof typeof sides;
  const names = Object.keys(sides) as Name[];
  const loaders = Object.fromEntries(
    names.map((name) => [name, new Loader({ port: product.apiPort, connections, requests: sides[name] })]),
  ) as Record<Name, Loader>;
  tell(
    `${rounds} rounds of ${secondsPerRound} s each, with ${connections} connections, of ${names.length} reads in turn`,
  );
  for (const name of names) await loaders[name].run({ seconds: 2 });
  const rates = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = 0; round < rounds; round += 1)
    for (const name of names) {
      const { answers, failures, firstFailure, seconds } = await loaders[name].run({ seconds: secondsPerRound });
      if (failures > 0) throw new Error(`${failures} answers of ${name} failed, first: ${firstFailure}`);
      rates[name].push(answers / seconds);
    }
  for (const name of names) loaders[name].stop();
  const line = (what: string, name: Name): Line => ({
    what,
    unit: '/s',
    product: median(rates[name]),
    bare: median(rates.check),
    ratio: median(rates[name].map((rate, round) => rate / (rates.check[round] ?? Number.NaN))),
    aim: { atLeast: 0.25 },
  });
  return [
    line("A consumer's purchases beside access checks", 'purchases'),
    line("A consumer's subscriptions beside access checks", 'subscriptions'),
    line('Public prices beside access checks', 'prices'),
    line('Item card beside access checks', 'card'),
  ];
}

export function ofViewers({ views }: Viewing, path: (view: Viewing['views'][number]) => string): string[] {
  return views
    .slice(0, differentRequests)
    .map((view) => requestText(path(view), `Authorization: Bearer ${view.token}\r\n`));
}

function requestText(path: string, headers = ''): string {
  return `GET ${path} HTTP/1.1\r\nHost: bench.test\r\n${headers}\r\n`;
}
