import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { Client } from 'pg';

const execute = promisify(execFile);

const role = 'temporal';

/** Temporal's databases, and the folders of their schemas inside the tool. */
const schemas = {
  temporal: 'postgresql/v12/temporal',
  temporal_visibility: 'postgresql/v12/visibility',
} as const;

export interface TemporalStore {
  host: string;
  port: string;
  user: string;
  password: string;
}

/**
 * Creates Temporal's role and databases as `deploy/postgres` does, and brings both to the schema of the tool as
 * `deploy/temporal/schema.sh` does. What exists is kept, but the role gets a new password.
 */
export async function prepareTemporalStore(ownerUrl: string, sqlTool: string): Promise<TemporalStore> {
  const { hostname: host, port } = new URL(ownerUrl);
  const store = { host, port, user: role, password: randomBytes(24).toString('base64url') };
  await createDatabases(ownerUrl, store.password);
  for (const [database, schema] of Object.entries(schemas)) {
    await runTool(sqlTool, store, database, ['setup-schema', '--version', '0.0']);
    await runTool(sqlTool, store, database, ['update-schema', '--schema-name', schema]);
  }
  return store;
}

async function createDatabases(ownerUrl: string, password: string): Promise<void> {
  const client = new Client({ connectionString: ownerUrl });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [role]);
    const verb = rowCount === 0 ? 'CREATE' : 'ALTER';
    await client.query(`${verb} ROLE ${role} LOGIN PASSWORD ${client.escapeLiteral(password)}`);
    for (const database of Object.keys(schemas)) {
      const found = await client.query('SELECT FROM pg_database WHERE datname = $1', [database]);
      if (found.rowCount !== 0) continue;
      await client.query(`CREATE DATABASE ${database} OWNER ${role}`);
      await client.query(`REVOKE ALL ON DATABASE ${database} FROM PUBLIC`);
    }
  } finally {
    await client.end();
  }
}

async function runTool(tool: string, store: TemporalStore, database: string, command: readonly string[]) {
  const { host, port, user, password } = store;
  const target = ['--plugin', 'postgres12', '--ep', host, '--port', port, '--user', user, '--db', database];
  await execute(tool, [...target, ...command], { env: { ...process.env, SQL_PASSWORD: password } });
}
