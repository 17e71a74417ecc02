import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { residentMb } from './memory';
import { type Setting } from './parts';
import { type SocketLoad, type SocketNews } from './socketLoad';
import { type Line, median } from './table';

const wanted = 10_000;
/** The other open files of a process: database connections, its log and its libraries. */
const otherFiles = 500;
const events = 5;

/** Measures open sockets on one API process. */
export async function measureSockets(setting: Setting): Promise<Line[]> {
  const { sockets, openedMs, kilobytesOfEach, reachedMs } = await openSockets(setting);
  const many = sockets.toLocaleString('en');
  return [
    { what: `${many} sockets: until all are open`, unit: 's', product: openedMs / 1000 },
    { what: `${many} sockets: memory of the API for each`, unit: 'kB', product: kilobytesOfEach },
    { what: `${many} sockets: from the commit of an event until all have it`, unit: 'ms', product: reachedMs },
  ];
}

export interface OpenSockets {
  sockets: number;
  openedMs: number;
  /** The memory of the API for each socket. */
  kilobytesOfEach: number;
  /** From the commit of an event to its last arrival, as the median of some. */
  reachedMs: number;
}

export async function openSockets({ product, seeded, tell }: Setting): Promise<OpenSockets> {
  const sockets = Math.min(wanted, openFilesMax() - otherFiles);
  tell(
    `${sockets.toLocaleString('en')} sockets on one API process${sockets < wanted ? ' (ulimit -n allows no more)' : ''}`,
  );
  const child = fork(join(__dirname, 'socketLoad.js'));
  const database = new Client(product.databaseUrl);
  await database.connect();
  try {
    const before = residentMb(product.apiPid);
    const began = performance.now();
    const load: SocketLoad = { port: product.apiPort, sockets, merchant: seeded.merchant };
    child.send(load);
    await next(child);
    const openedMs = performance.now() - began;
    const grownMb = residentMb(product.apiPid) - before;
    const reached: number[] = [];
    for (let event = 0; event < events; event += 1) {
      const received = next(child);
      const committed = await publish(database, seeded.merchant.uuid, event);
      await received;
      reached.push(performance.now() - committed);
    }
    return { sockets, openedMs, kilobytesOfEach: (grownMb * 1024) / sockets, reachedMs: median(reached) };
  } finally {
    child.kill();
    await database.end();
  }
}

/** The limit applies to each process, and one socket is one open file on either side. */
function openFilesMax(): number {
  const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  return Number(soft);
}

async function next(child: ChildProcess): Promise<void> {
  const [news] = (await once(child, 'message')) as [SocketNews];
  if ('lost' in news) throw new Error(`A socket was lost: ${news.lost}`);
}

/** Publishes an event to the merchant whose sockets are open, and returns the time of the commit. */
async function publish(database: Client, merchantUuid: string, event: number): Promise<number> {
  const { rowCount } = await database.query(
    `WITH taken AS (
       UPDATE channels SET last_sequence = last_sequence + 1
       WHERE merchant_id = (SELECT id FROM accounts WHERE uuid = $1) RETURNING merchant_id, last_sequence
     ), written AS (
       INSERT INTO events (merchant_id, sequence, account_id, type, resource, dedupe_key)
       SELECT merchant_id, last_sequence, merchant_id, 'access.revoked', '{"item_id": 1}', $2 FROM taken
       RETURNING merchant_id
     )
     SELECT pg_notify('events', merchant_id::text) FROM written`,
    [merchantUuid, `bench:sockets:${event}`],
  );
  if (rowCount !== 1) throw new Error('no event was written');
  return performance.now();
}
