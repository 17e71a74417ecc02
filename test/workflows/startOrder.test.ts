import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createShop, reaches, subscribe } from '../support/factories';
import { startApp, type TestApp } from '../support/startApp';
import { startOwnTemporal, type OwnTemporal } from '../support/temporalServer';

/** A worker process starts before Temporal can be reached. */

let server: OwnTemporal;
let app: TestApp;
let worker: ChildProcess;

beforeAll(async () => {
  server = await startOwnTemporal();
  app = await startApp({ TEMPORAL_ADDRESS: server.address });
});

afterAll(async () => {
  worker.kill('SIGTERM');
  if (worker.exitCode === null) await once(worker, 'exit');
  await app.stop();
  await server.stop();
});

/** Resolves when the program logs a line. */
function says(program: ChildProcess, line: string): Promise<void> {
  let said = '';
  return new Promise((resolve, reject) => {
    program.stdout?.on('data', (part: Buffer) => {
      said += part.toString('utf8');
      if (said.includes(line)) resolve();
    });
    program.once('exit', (code) => reject(new Error(`the worker ended with ${code}: ${said}`)));
  });
}

test('subscribe.success: a worker that starts first waits, connects and carries out the purchase', async () => {
  await server.kill();
  worker = spawn(process.execPath, [resolve(__dirname, '../../dist/workers/main.js')], {
    env: { ...process.env, LOG_LEVEL: 'info' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await says(worker, 'the worker waits for the workflow server');
  const shop = await createShop(app);
  const { status, body } = await subscribe(app, shop);
  expect(status).toBe(202);
  const polls = says(worker, 'the worker polls');
  await server.start();
  await polls;
  await reaches(app, shop.consumer, body.subscription_id, 'active');
});
