import { randomUUID } from 'node:crypto';
import { access, chmod, constants, mkdir, mkdtemp, readdir, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DefaultLogger, bundleWorkflowCode } from '@temporalio/worker';
import { Client } from 'pg';
import ts from 'typescript';
import { findFreePort } from '../../scripts/embedded/ports';
import { asRuntimeRole, createRuntimeRole, startPostgres } from '../../scripts/embedded/postgres';
import { ProcessGroup } from '../../scripts/embedded/processes';
import { startTemporal } from '../../scripts/embedded/temporal';
import { minified } from '../../scripts/minified';
import { startPaymentSimulator } from '../../scripts/paymentSimulator/program';
import { migrateAsOwner } from '../../src/adapters/postgres/roles';

/** The servers of one run of the tests, independent of `npm start` and of other runs. */
interface TestServers {
  folder: string;
  processes: ProcessGroup;
  databaseUrl: string;
  template: string;
  paymentSimulator: { url: string; stop: () => Promise<void> };
}

/** Of the role of the processes under test. */
const runtimePassword = 'paywall';

let servers: TestServers | undefined;

/** Starts them, and passes their addresses to the test files through the environment, the only way into jest's workers. */
export async function startTestServers(): Promise<void> {
  const folder = await mkdtemp(join((await findMemoryFolder()) ?? tmpdir(), 'paywall-test-'));
  // PostgreSQL may run as another account than the tests do.
  await chmod(folder, 0o755);
  const processes = new ProcessGroup({ removeFolder: folder });
  const template = `paywall_template_${randomUUID().slice(0, 8)}`;
  const starting = [
    startDatabase(folder, template, processes),
    startWorkflowServer(folder, processes),
    bundleWorkflows(folder),
    // In this process: it costs no start. Each test file has an account and books of its own there.
    startPaymentSimulator({ port: 0 }),
  ] as const;
  try {
    const [databaseUrl, temporalAddress, bundle, paymentSimulator] = await Promise.all(starting);
    servers = { folder, processes, databaseUrl, template, paymentSimulator };
    Object.assign(process.env, {
      TEST_DATA_DIR: folder,
      TEST_DATABASE_ADMIN_URL: databaseUrl,
      TEST_DATABASE_RUNTIME_URL: asRuntimeRole(databaseUrl, runtimePassword),
      TEST_TEMPLATE_DATABASE: template,
      TEST_TEMPORAL_ADDRESS: temporalAddress,
      TEST_WORKFLOW_BUNDLE: bundle,
      TEST_PAYMENT_SIMULATOR: paymentSimulator.url,
      TEST_PAGE_SCRIPTS: await compilePageScripts(folder),
    });
  } catch (error) {
    await processes.stopAll();
    await Promise.allSettled(starting);
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

const memoryFolder = '/dev/shm';
/** More than the databases of a run and PostgreSQL's journal take. A container often has only 64 MB. */
const memoryNeededBytes = 3 * 1024 ** 3;

/**
 * A folder in memory, where one is large enough. A copy of the template has about a thousand files, which takes PostgreSQL
 * half a second on a disk and a twentieth of a second in memory.
 */
async function findMemoryFolder(): Promise<string | undefined> {
  try {
    await access(memoryFolder, constants.W_OK);
    const { bavail, bsize } = await statfs(memoryFolder);
    return bavail * bsize >= memoryNeededBytes ? memoryFolder : undefined;
  } catch {
    return undefined;
  }
}

export async function stopTestServers(): Promise<void> {
  if (servers === undefined) return;
  const { folder, processes, databaseUrl, template, paymentSimulator } = servers;
  await paymentSimulator.stop();
  if (process.env['TEST_DATABASE_URL']) await query(databaseUrl, `DROP DATABASE IF EXISTS ${template} WITH (FORCE)`);
  await processes.stopAll();
  await rm(folder, { recursive: true, force: true });
}

/** Creates a migrated database that the test files copy, which is ten times faster than migrating. */
async function startDatabase(folder: string, template: string, processes: ProcessGroup): Promise<string> {
  const given = process.env['TEST_DATABASE_URL'];
  const url = given || (await startOwnDatabase(folder, processes));
  await query(url, `CREATE DATABASE ${template}`);
  const templateUrl = new URL(url);
  templateUrl.pathname = `/${template}`;
  await createRuntimeRole(url, runtimePassword);
  await migrateAsOwner(templateUrl.href, asRuntimeRole(templateUrl.href, runtimePassword));
  return url;
}

async function startOwnDatabase(folder: string, processes: ProcessGroup): Promise<string> {
  const port = await findFreePort();
  return (await startPostgres({ dataFolder: join(folder, 'postgres'), port, throwaway: true, processes })).url;
}

async function startWorkflowServer(folder: string, processes: ProcessGroup): Promise<string> {
  const given = process.env['TEMPORAL_ADDRESS'];
  if (given) return given;
  const logFile = join(folder, 'temporal.log');
  const options = { port: await findFreePort(), logFile, continuesAtOnce: true, processes, say: console.log };
  return (await startTemporal(options)).address;
}

async function bundleWorkflows(folder: string): Promise<string> {
  const workflowsPath = resolve(__dirname, '../../workflows/index.ts');
  const failureConverterPath = resolve(__dirname, '../../workflows/failureConverter.ts');
  const logger = new DefaultLogger('WARN');
  const workflowInterceptorModules = [resolve(__dirname, '../../workflows/traces.ts')];
  const options = { workflowsPath, failureConverterPath, workflowInterceptorModules, logger };
  const { code } = await bundleWorkflowCode(options);
  const path = join(folder, 'workflow-bundle.js');
  await writeFile(path, code);
  return path;
}

/** Like the build, but without checking types. */
async function compilePageScripts(folder: string): Promise<string> {
  const source = resolve(__dirname, '../../src/pages/browser');
  const target = join(folder, 'page-scripts');
  await mkdir(target);
  const names = (await readdir(source)).filter((name) => name.endsWith('.ts'));
  for (const name of names) {
    const { outputText } = ts.transpileModule(await readFile(join(source, name), 'utf8'), {
      compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.Preserve, removeComments: true },
    });
    await writeFile(join(target, name.replace(/\.ts$/, '.js')), minified(outputText));
  }
  return target;
}

async function query(url: string, sql: string): Promise<void> {
  const client = new Client(url);
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
