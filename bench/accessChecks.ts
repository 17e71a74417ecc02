import { Loader, type Round } from './load';
import { cpuSeconds, cpuSecondsOfFamily, findPostgres } from './memory';
import { type BareParts, type Product } from './parts';
import { openViewers, type Viewing } from './viewers';
import { type Line, median } from './table';

/** Many short rounds: compared sides run close together in time, so other load on the machine affects both. */
const rounds = 15;
const secondsPerRound = 1;
const connections = 64;
/** Prepared before the measurement. Connections use them in turn. */
const differentRequests = 20_000;

interface Setting {
  product: Product;
  bare: BareParts;
  tell: (what: string) => void;
}

type Name = 'check' | 'bare' | 'live';

interface Measured {
  perSecond: number;
  p50: number;
  p99: number;
  cpuMicroseconds: number;
  postgresMicroseconds: number;
}

/**
 * Compares the access check, on a million entitlements, with a bare Express endpoint that reads one row of the same
 * table by its key, and with the same server's `GET /health/live`, which reads nothing. Rounds alternate, so that other
 * load on the machine affects all sides.
 */
export async function compareAccessChecks({ product, bare, tell }: Setting): Promise<Line[]> {
  const viewing = await openViewers(product.databaseUrl);
  const postgresPid = await findPostgres(product.databaseUrl);
  const api = { pid: product.apiPid, postgresPid };
  const ofApi = (requests: string[]) => new Loader({ port: product.apiPort, connections, requests });
  const loadOfBare = new Loader({ port: bare.endpointPort, connections, requests: bareRequests(viewing) });
  const sides = {
    check: { ...api, loader: ofApi(accessRequests(viewing)) },
    bare: { pid: bare.endpointPid, postgresPid, loader: loadOfBare },
    live: { ...api, loader: ofApi([requestText('/health/live', '')]) },
  };
  tell(`${rounds} rounds of ${secondsPerRound} s each, with ${connections} connections, of three endpoints in turn`);
  // Before the measurement every request is made once and the code is compiled, however slow the machine is.
  await measure(sides.check, { seconds: 4, answersAtLeast: differentRequests });
  for (const side of Object.values(sides)) await measure(side, { seconds: secondsPerRound });
  const found = { check: [] as Measured[], bare: [] as Measured[], live: [] as Measured[] };
  for (let round = 0; round < rounds; round += 1)
    for (const name of ['check', 'bare', 'live'] as const)
      found[name].push(await measure(sides[name], { seconds: secondsPerRound }));
  for (const { loader } of Object.values(sides)) loader.stop();
  const line = (what: string, unit: string, of: keyof Measured, name: Name, beside: Name): Line => ({
    what,
    unit,
    product: median(found[name].map((measured) => measured[of])),
    bare: median(found[beside].map((measured) => measured[of])),
    ratio: median(found[name].map((measured, round) => measured[of] / (found[beside][round]?.[of] ?? Number.NaN))),
  });
  return [
    { ...line('Access checks beside bare Express', '/s', 'perSecond', 'check', 'bare'), aim: { atLeast: 2 } },
    line('  p50', 'ms', 'p50', 'check', 'bare'),
    line('  p99', 'ms', 'p99', 'check', 'bare'),
    line('  CPU of the server', 'µs', 'cpuMicroseconds', 'check', 'bare'),
    line('  CPU of PostgreSQL', 'µs', 'postgresMicroseconds', 'check', 'bare'),
    line('Access checks beside GET /health/live', '/s', 'perSecond', 'check', 'live'),
    line('  p50', 'ms', 'p50', 'check', 'live'),
    line('  p99', 'ms', 'p99', 'check', 'live'),
    // An endpoint that does nothing: the upper limit of what any endpoint of this process can reach on this machine.
    line('GET /health/live beside bare Express', '/s', 'perSecond', 'live', 'bare'),
  ];
}

interface Side {
  pid: number;
  postgresPid: number;
  loader: Loader;
}

async function measure({ pid, postgresPid, loader }: Side, round: Round): Promise<Measured> {
  const before = cpuSeconds(pid);
  const postgresBefore = cpuSecondsOfFamily(postgresPid);
  const { answers, seconds, p50, p99 } = await loader.run(round);
  const used = cpuSeconds(pid) - before;
  const postgresUsed = cpuSecondsOfFamily(postgresPid) - postgresBefore;
  return {
    perSecond: answers / seconds,
    p50,
    p99,
    cpuMicroseconds: (used * 1e6) / answers,
    postgresMicroseconds: (postgresUsed * 1e6) / answers,
  };
}

function accessRequests({ views }: Viewing): string[] {
  return Array.from({ length: differentRequests }, (_, index) => {
    const view = views[index % views.length];
    return requestText(`/items/${view?.itemId}/access`, `Authorization: Bearer ${view?.token}\r\n`);
  });
}

function bareRequests({ accessIds: [first, last] }: Viewing): string[] {
  return Array.from({ length: differentRequests }, () =>
    requestText(`/accesses/${first + Math.floor(Math.random() * (last - first + 1))}`, ''),
  );
}

function requestText(path: string, headers: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: bench.test\r\n${headers}\r\n`;
}
