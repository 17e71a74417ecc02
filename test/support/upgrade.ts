import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { migrations } from '../../src/adapters/postgres/migrations';

/** A database of its own that held rows when a migration came to it; `read` asks it for what became of them. */
export async function afterUpgrade(
  name: string,
  before: readonly string[],
  read: (client: pg.Client) => Promise<void>,
): Promise<void> {
  const adminUrl = process.env['TEST_DATABASE_ADMIN_URL'] ?? '';
  const admin = new pg.Client(adminUrl);
  await admin.connect();
  const database = `test_${randomUUID().replaceAll('-', '')}`;
  await admin.query(`CREATE DATABASE ${database} TEMPLATE template0`);
  const url = new URL(adminUrl);
  url.pathname = `/${database}`;
  const client = new pg.Client(url.href);
  await client.connect();
  const index = migrations.findIndex((migration) => migration.name === name);
  for (const { up } of migrations.slice(0, index)) await client.query(up);
  for (const text of before) await client.query(text);
  await client.query(migrations[index]?.up ?? '');
  await read(client);
  await client.end();
  await admin.query(`DROP DATABASE ${database}`);
  await admin.end();
}
