import { setTimeout as sleep } from 'node:timers/promises';
import { type Client } from 'pg';
import { signAccessToken } from '../../src/adapters/jwt';
import { withClient } from '../database';
import { openBuyer } from '../buyer';
import { type Product } from '../parts';
import { seed, type Seeded } from '../seed';
import { copyRows, markRows, takeRows } from './cloning';

export interface Subscribers {
  merchant: Seeded['merchant'];
  count: number;
  /** The rows that each subscription has, by table. */
  rows: ReadonlyMap<string, number>;
  bytesOfEach: number;
  /** The share of the largest tables with their indexes. */
  largest: { table: string; bytesOfEach: number }[];
  tookSeconds: number;
}

const merchantName = 'scale';
const largestShown = 8;

/**
 * Makes one purchase through the API, and copies all rows that it has written: the customer with a session, the card, the
 * subscription, its charge, its access, its events and the rest. The copies have no runs in Temporal.
 */
export async function addSubscribers(product: Product, count: number): Promise<Subscribers> {
  const seeded = await seed(product.databaseUrl, merchantName, 1);
  return withClient(product.databaseUrl, async (client) => {
    const tables = await markRows(client);
    await buyOnce(product, client, seeded);
    const [customer] = await ask<{ id: number }>(
      client,
      `SELECT id FROM accounts WHERE role = 'consumer' AND merchant_uuid = $1`,
      [seeded.merchant.uuid],
    );
    const rows = await takeRows(client, tables, customer?.id ?? 0);
    const sizes = new Map(await readSizes(client, [...rows.keys()]));
    const beganAt = performance.now();
    await client.query('BEGIN');
    await copyRows(client, tables, new Set(rows.keys()), count);
    await client.query(
      `UPDATE channels SET last_sequence = (SELECT max(sequence) FROM events e WHERE e.merchant_id = channels.merchant_id)
       WHERE EXISTS (SELECT FROM events e WHERE e.merchant_id = channels.merchant_id)`,
    );
    await client.query(`SELECT setval('access_source_ids', (SELECT max(id) FROM subscriptions))`);
    await client.query('COMMIT');
    const tookSeconds = (performance.now() - beganAt) / 1000;
    await client.query('VACUUM ANALYZE');
    const grown = (await readSizes(client, [...rows.keys()])).map(([table, size]) => ({
      table,
      bytesOfEach: (size - (sizes.get(table) ?? 0)) / count,
    }));
    return {
      merchant: seeded.merchant,
      count,
      rows,
      bytesOfEach: grown.reduce((sum, { bytesOfEach }) => sum + bytesOfEach, 0),
      largest: grown.toSorted((a, b) => b.bytesOfEach - a.bytesOfEach).slice(0, largestShown),
      tookSeconds,
    };
  });
}

/** Waits until the purchase has its event, its mail and everything else that follows from it. */
async function buyOnce(product: Product, client: Client, seeded: Seeded): Promise<void> {
  const buyer = await openBuyer(product, seeded);
  await buyer.subscribe();
  buyer.close();
  const isQuiet = async () => {
    const [row] = await ask<{ isQuiet: boolean }>(client, 'SELECT NOT EXISTS (SELECT FROM outbox) AS "isQuiet"');
    return row?.isQuiet ?? false;
  };
  do await sleep(2_000);
  while (!(await isQuiet()));
}

async function readSizes(client: Client, tables: readonly string[]): Promise<[string, number][]> {
  const rows = await ask<{ table: string; size: number }>(
    client,
    `SELECT name AS "table", pg_total_relation_size(('public.' || name)::regclass)::float8 AS size
     FROM unnest($1::text[]) AS name`,
    [tables],
  );
  return rows.map(({ table, size }) => [table, size]);
}

/** Access tokens of some of them, with the item that they may see. */
export async function openSubscribers(product: Product, { merchant }: Subscribers, count: number) {
  const rows = await withClient(product.databaseUrl, (client) =>
    ask<{ uuid: string; session: string; itemId: number }>(
      client,
      `SELECT a.uuid, s.id AS session, e.item_id AS "itemId" FROM accounts a JOIN sessions s ON s.account_id = a.id
       JOIN accesses e ON e.account_id = a.id WHERE a.merchant_uuid = $1 AND a.role = 'consumer'
       ORDER BY md5(a.id::text) LIMIT $2`,
      [merchant.uuid, count],
    ),
  );
  const exp = Math.floor(Date.now() / 1000) + 86_400;
  const names = { mid: merchant.uuid, cid: merchant.uuid, role: 'consumer', scope: '', exp };
  return rows.map(({ uuid, session, itemId }) => ({
    itemId,
    token: signAccessToken({ ...names, sub: uuid, sid: session }),
  }));
}

async function ask<Row extends object>(client: Client, text: string, values: unknown[] = []): Promise<Row[]> {
  return (await client.query<Row>(text, values)).rows;
}
