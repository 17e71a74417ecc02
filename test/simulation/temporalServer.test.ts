import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { Client as Database } from 'pg';
import { findFreePort } from '../../scripts/embedded/ports';
import { startPostgres } from '../../scripts/embedded/postgres';
import { ProcessGroup } from '../../scripts/embedded/processes';
import { findTemporalPorts, startTemporalServer } from '../../scripts/embedded/temporalServer';
import { findTemporalServerPrograms } from '../../scripts/embedded/temporalServerPrograms';
import { prepareTemporalStore } from '../../scripts/embedded/temporalStore';

/** The Temporal server of an installation, with its store in PostgreSQL. `npm run cluster` builds its programs. */

const dynamicConfig = path.join(__dirname, '../../deploy/temporal/dynamicconfig.yaml');
const programs = findTemporalServerPrograms();
const withServer = programs === undefined ? describe.skip : describe;
const { server = '', sqlTool = '' } = programs ?? {};

withServer(`Temporal on PostgreSQL${programs ? '' : ' (skipped: no Temporal server is built)'}`, () => {
  let folder: string;
  let processes: ProcessGroup;

  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'paywall-temporal-'));
    // PostgreSQL may run under another account.
    chmodSync(folder, 0o755);
    processes = new ProcessGroup({ removeFolder: folder });
  });

  afterAll(async () => {
    await processes.stopAll();
    rmSync(folder, { recursive: true, force: true });
  });

  test('the server knows each setting of deploy/temporal/dynamicconfig.yaml', () => {
    const { status, stdout } = spawnSync(server, ['validate-dynamic-config', dynamicConfig], { encoding: 'utf8' });
    expect({ status, found: stdout.match(/^ *(?:error|warning).*$/gm) }).toEqual({ status: 0, found: null });
  });

  test('a run is in PostgreSQL, and is still open after a restart of the server', async () => {
    const port = await findFreePort();
    const postgres = await startPostgres({
      dataFolder: path.join(folder, 'postgres'),
      port,
      throwaway: true,
      processes,
    });
    await prepareTemporalStore(postgres.url, sqlTool);
    // A second start finds the databases as they are.
    const store = await prepareTemporalStore(postgres.url, sqlTool);
    const ports = await findTemporalPorts(findFreePort);
    const dataFolder = path.join(folder, 'temporal');
    const logFile = path.join(folder, 'temporal.log');
    const start = () =>
      startTemporalServer({ program: server, store, ports, dataFolder, dynamicConfig, processes, logFile });
    const first = await start();
    const connection = await Connection.connect({ address: `127.0.0.1:${ports.frontend.grpc}` });
    const { workflow } = new Client({ connection });
    const handle = await workflow.start('absent', { workflowId: 'kept', taskQueue: 'nobody' });
    await first.stop();
    const database = new Database({ connectionString: postgres.url.replace(/[^/]+$/, 'temporal') });
    await database.connect();
    const { rows } = await database.query('SELECT workflow_id FROM current_executions WHERE workflow_id = $1', [
      'kept',
    ]);
    await database.end();
    expect(rows).toEqual([{ workflow_id: 'kept' }]);

    await start();
    const { status, runId } = await handle.describe();
    expect({ status: status.name, runId }).toEqual({ status: 'RUNNING', runId: handle.firstExecutionRunId });
    await connection.close();
  });
});
