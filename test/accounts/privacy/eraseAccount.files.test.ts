import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { liveWithCanaries } from '../../support/canaries';
import { type MailServer, startMailServer } from '../../support/mailServer';
import { isErased, isForgotten, requestErasure } from '../../support/privacy';
import { prepareApi, type ChildApi } from '../../support/startApi';
import { tablesHolding } from '../../support/stored';
import { until } from '../../support/until';

/** The API and the worker run as separate processes, and the test reads every file in their folders. */

const canary = `canary${randomUUID().replaceAll('-', '')}`;

let folder: string;
let mailServer: MailServer;
let api: ChildApi;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paywall-files-'));
  mailServer = await startMailServer();
  api = await prepareApi(folder);
  const settings = { SMTP_URL: mailServer.url, LOG_LEVEL: 'trace' };
  await api.start(settings);
  await api.startWorker(settings);
});

afterAll(async () => {
  await api.stop();
  await mailServer.stop();
  await rm(folder, { recursive: true });
});

async function filesHolding(text: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const read = await Promise.all(files.map(async (file) => ({ file, held: (await readFile(file)).includes(text) })));
  return read.filter(({ held }) => held).map(({ file }) => file.slice(folder.length + 1));
}

test('202: no canary is in a file that the processes wrote, in their logs, or in the database', async () => {
  const { shop } = await liveWithCanaries(api, mailServer, canary);
  const { consumer } = shop;
  expect((await tablesHolding(api.pool, canary)).length).toBeGreaterThan(0);
  expect((await requestErasure(api, consumer)).status).toBe(202);
  await isErased(api, consumer.id);
  await isForgotten(api, consumer.id);
  const lastMail = () => api.pool.query('SELECT 1 FROM mails WHERE recipient = $1', [consumer.email]);
  await until(async () => (await lastMail()).rows.length === 0);
  // The logs contain lines about the requests, so the search looks at the right files.
  expect(await filesHolding('"operation":"eraseAccount"')).toEqual(['crashingApi.log']);
  expect(await filesHolding(canary)).toEqual([]);
  expect(await tablesHolding(api.pool, canary)).toEqual([]);
});
