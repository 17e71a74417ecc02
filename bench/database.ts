import { Client } from 'pg';
import { migrate } from '../src/adapters/postgres/migrate';

/** Drops a database of the same name. Returns the address of the new one. */
export async function createEmpty(serverUrl: string, name: string): Promise<string> {
  await dropDatabase(serverUrl, name);
  await withClient(serverUrl, (client) => client.query(`CREATE DATABASE ${name}`));
  return withDatabase(serverUrl, name);
}

/** An empty database with the product's schema. */
export async function createDatabase(serverUrl: string, name: string): Promise<string> {
  const url = await createEmpty(serverUrl, name);
  await migrate(url);
  return url;
}

export async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  await withClient(serverUrl, (client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
}

export function withDatabase(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

export async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(url);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
