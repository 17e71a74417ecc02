import pg from 'pg';
import { config } from '../../config';
import { logger } from '../logger';
import { migrate } from './migrate';
import { migrations } from './migrations';

/**
 * Two roles of the database: the owner of the tables (`MIGRATION_DATABASE_URL`) applies migrations, and the processes run
 * as another role (`DATABASE_URL`), which reads and writes rows but cannot change or delete the audit log.
 */

/** Tables that the role of the processes only reads and extends. Functions of the owner do the rest. */
const appendOnly = ['audit_log'];
/** Rows of the books can be deleted if these tables list them as demo data, which only a test environment has. */
const ofTestEnvironment = ['demo_fills', 'demo_rows'];
const readOnly = ['audit_chains', 'migrations'];

/** Applies the migrations as the owner, and gives the role of the processes its rights. */
export async function migrateAsOwner(
  ownerUrl: string,
  runtimeUrl: string = config.DATABASE_URL,
  known = migrations,
): Promise<void> {
  await migrate(ownerUrl, known);
  const runtimeRole = decodeURIComponent(new URL(runtimeUrl).username);
  await withClient(ownerUrl, async (client) => {
    const { rows } = await client.query<{ owner: string }>('SELECT current_user AS owner');
    if (rows[0]?.owner !== runtimeRole) await grantTo(client, runtimeRole);
  });
}

async function grantTo(client: pg.Client, role: string): Promise<void> {
  const name = client.escapeIdentifier(role);
  const { rows } = await client.query<{ database: string }>('SELECT current_database() AS database');
  const database = client.escapeIdentifier(rows[0]?.database ?? '');
  await client.query(`
    BEGIN;
    GRANT CONNECT ON DATABASE ${database} TO ${name};
    GRANT USAGE ON SCHEMA public, unfenced TO ${name};
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${name};
    GRANT SELECT ON ALL TABLES IN SCHEMA unfenced TO ${name};
    GRANT USAGE, SELECT, UPDATE ON ALL SEQUENCES IN SCHEMA public TO ${name};
    GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO ${name};
    REVOKE UPDATE, DELETE, TRUNCATE ON ${appendOnly.join(', ')} FROM ${name};
    REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON ${readOnly.join(', ')} FROM ${name};
    ${config.ENVIRONMENT === 'production' ? `REVOKE INSERT, UPDATE ON ${ofTestEnvironment.join(', ')} FROM ${name};` : ''}
    COMMIT`);
}

/**
 * Migrates at the start of an API if it knows the owner, or if its own role is the owner. Otherwise the operator migrates
 * (`dist/src/migrate.js`), and the API is not ready before.
 */
export async function prepareDatabase(): Promise<void> {
  const { MIGRATION_DATABASE_URL: ownerUrl, DATABASE_DIRECT_URL: runtimeUrl } = config;
  if (ownerUrl !== undefined) await migrateAsOwner(ownerUrl);
  else if (await withClient(runtimeUrl, mayCreate)) await migrate(runtimeUrl);
  await refuseOwner();
}

/** In production, throws if the role of the processes can change the audit log. */
export async function refuseOwner(): Promise<void> {
  if (!(await withClient(config.DATABASE_DIRECT_URL, mayChangeAuditLog))) return;
  const fault = 'The role of DATABASE_URL can change the audit log: use another role than the owner of the tables';
  if (config.ENVIRONMENT === 'production') throw new Error(fault);
  logger.warn(fault);
}

async function mayCreate(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ may: boolean }>(`SELECT has_schema_privilege('public', 'CREATE') AS may`);
  return rows[0]?.may === true;
}

/** Whether the role is the owner of the log, a superuser, or has rights that it must not have. */
async function mayChangeAuditLog(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ may: boolean }>(
    `SELECT coalesce(has_table_privilege(to_regclass('audit_log'), 'UPDATE, DELETE, TRUNCATE'), false) AS may`,
  );
  return rows[0]?.may === true;
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
