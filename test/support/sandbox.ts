import { Client, type QueryResult, type QueryResultRow } from 'pg';
import { createSandbox, type Sandbox } from '../../src/adapters/cardProviders/sandbox';
import { queryBooks } from './providerBooks';

/** The adapter of the sandbox, with the account of this test file. */
export function startSandbox(changes: { apiBase?: string; key?: string; timeoutMs?: number } = {}): Sandbox {
  return createSandbox({
    apiBase: process.env['SANDBOX_API_BASE'] ?? '',
    key: process.env['SANDBOX_KEY'] ?? '',
    timeoutMs: 8_000,
    baseUrl: 'https://pay.example.org',
    ...changes,
  });
}

/** Reads the provider's books alone, as `queryBooks` does. */
export async function queryProvider<R extends QueryResultRow = QueryResultRow>(
  text: string,
  values: readonly unknown[] = [],
): Promise<QueryResult<R>> {
  const client = new Client(process.env['TEST_DATABASE_ADMIN_URL']);
  await client.connect();
  try {
    return await queryBooks<R>(client, text, values);
  } finally {
    await client.end();
  }
}
