import { readFileSync } from 'node:fs';
import { type EventMessage } from '../../src/notifications/events';
import { listen, type Listening } from '../support/client';
import { publishEvents, upTo } from '../support/events';
import { createConsumer, createMerchant, type Person } from '../support/factories';
import { type Replicas, startReplicas } from '../support/replicas';
import { size } from '../support/size';
import { until } from '../support/until';

/** One of many readers stops reading. It takes little memory, and the others are not affected. */

const others = size({ usual: 100, full: 1_000 });
const rounds = 300;
const bytesEach = 200_000;
const largePerRound = 5;
/** The size of everything that the paused reader is sent. A busy process takes some more memory in any case. */
const sentMb = (rounds * largePerRound * bytesEach) / 2 ** 20;

jest.setTimeout(20 * 60_000);

let running: Replicas;
let address: string;
let merchant: Person;

beforeAll(async () => {
  running = await startReplicas(1);
  address = running.replicas[0]?.address ?? '';
  merchant = await createMerchant({ address });
});

afterAll(() => running.stop());

/** Events far larger than any real one, so that few of them fill the buffers between two processes. */
async function publishLarge(person: Person): Promise<void> {
  await running.pool.query(
    `WITH taken AS (
       UPDATE channels SET last_sequence = last_sequence + $3 WHERE merchant_id = $1 RETURNING last_sequence - $3 AS before
     )
     INSERT INTO events (merchant_id, sequence, account_id, type, resource, dedupe_key)
     SELECT $1, before + n, $2, 'access.revoked', jsonb_build_object('item_id', n, 'filler', repeat('x', $4)),
       gen_random_uuid()::text
     FROM taken, generate_series(1, $3) AS n`,
    [merchant.id, person.id, largePerRound, bytesEach],
  );
}

function residentMb(): number {
  const status = readFileSync(`/proc/${running.replicas[0]?.pid()}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
}

const itemsOf = ({ heard }: { heard: EventMessage[] }) => heard.map(({ resource }) => resource['item_id']);
const title = 'one paused reader among many: memory stays bounded, and all others hear everything in order';
const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux(`${title} (only Linux has /proc)`, async () => {
  const [paused, listener] = [await createConsumer({ address }, merchant), await createConsumer({ address }, merchant)];
  const readers: Listening[] = [];
  while (readers.length < others) readers.push(await listen({ address }, listener));
  const stuck = await listen({ address }, paused);
  stuck.socket.pause();
  const before = residentMb();
  let highest = before;
  for (let round = 1; round <= rounds; round += 1) {
    await publishLarge(paused);
    await publishEvents(listener, merchant.id, [round]);
    await until(() => readers.every(({ heard }) => heard.length === round));
    highest = Math.max(highest, residentMb());
  }
  for (const reader of readers) expect(itemsOf(reader)).toEqual(upTo(rounds));
  expect(highest - before).toBeLessThan(sentMb / 2);
  stuck.socket.resume();
  // The code reaches a reader that reads again within half a minute; after that the line is cut.
  expect([4408, 1006]).toContain(await stuck.closed);
  expect(stuck.heard.length).toBeLessThan(rounds * largePerRound);
  for (const { socket } of readers) socket.terminate();
});
