import { randomUUID } from 'node:crypto';
import pg from 'pg';

export interface TestDatabase {
  url: string;
  pool: pg.Pool;
  drop(): Promise<void>;
}

/**
 * A copy of the migrated template or of another one, under the given name or one of its own. The test uses it as the owner,
 * and the product as a role with fewer rights.
 */
export async function createTestDatabase(
  url?: string,
  template = process.env['TEST_TEMPLATE_DATABASE'] ?? '',
): Promise<TestDatabase> {
  const adminUrl = process.env['TEST_DATABASE_ADMIN_URL'] ?? '';
  const target = new URL(adminUrl);
  target.pathname = url === undefined ? `/test_${randomUUID().replaceAll('-', '')}` : new URL(url).pathname;
  const name = target.pathname.slice(1);
  await asAdmin(adminUrl, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`);
  const pool = new pg.Pool({ connectionString: target.href, max: 5 });
  // Some tests break connections on purpose.
  pool.on('error', () => undefined);
  return {
    url: target.href,
    pool,
    drop: async () => {
      await pool.end();
      await asAdmin(adminUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

async function asAdmin(url: string, sql: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(sql);
  } catch (error) {
    // PostgreSQL allows one copy of a template at a time. The other one is repeated.
    if (!/being accessed by other users/.test((error as Error).message)) throw error;
    await client.end();
    return asAdmin(url, sql);
  } finally {
    await client.end().catch(() => undefined);
  }
}
