import { join } from 'node:path';
import { DeterminismViolationError } from '@temporalio/workflow';
import { Worker } from '@temporalio/worker';
import { createActivities } from '../../activities';
import { bundleFixture } from '../support/bundles';
import { installQuietRuntime } from '../support/quietRuntime';
import {
  debitPaths,
  demoDataPaths,
  lifePaths,
  listHistories,
  doubtPaths,
  paths,
  paymentPaths,
  readHistory,
  reportPaths,
  webhookPaths,
} from './histories';

/** This code must take the same steps in every recorded history. */

beforeAll(installQuietRuntime);

/** What one worker finds in all histories. It loads the workflows once. */
async function replayAll(codePath: string): Promise<Map<string, Error | undefined>> {
  const histories = listHistories().map((name) => ({
    workflowId: name,
    history: JSON.parse(readHistory(name)) as object,
  }));
  const results = new Map<string, Error | undefined>();
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle: { codePath } }, histories))
    results.set(workflowId, error);
  return results;
}

const replay = (codePath: string, history: string) =>
  Worker.runReplayHistory({ workflowBundle: { codePath } }, JSON.parse(history));

describe('this code', () => {
  let results: Map<string, Error | undefined>;

  beforeAll(async () => void (results = await replayAll(process.env['TEST_WORKFLOW_BUNDLE'] ?? '')));

  test.each(listHistories())('%s is replayed to its end', (name) => {
    expect([...results.keys()]).toContain(name);
    expect(results.get(name)).toBeUndefined();
  });
});

test('every path has its history, and every activity is in one', () => {
  const subscriptions = [...paths, ...lifePaths, ...doubtPaths, ...debitPaths];
  const all = [...subscriptions, ...paymentPaths, ...webhookPaths, ...reportPaths, ...demoDataPaths];
  expect(listHistories()).toEqual(expect.arrayContaining(all.map((path) => `${path}.json`)));
  const written = listHistories().map(readHistory).map(withMarkers).join('\n');
  for (const activity of Object.keys(createActivities())) expect(written).toContain(`"${activity}"`);
});

test('no history tells of the machine or the people it was recorded with', () => {
  for (const name of listHistories())
    expect(withMarkers(readHistory(name))).not.toMatch(/\d@|example\.org|Petrova|4242424242424242/);
});

test('a workflow with its steps in another order is refused: the check can fail', async () => {
  const reordered = await bundleFixture(join(__dirname, 'reordered.ts'));
  for (const name of ['paid.json', 'renewed.json'])
    await expect(replay(reordered, readHistory(name))).rejects.toBeInstanceOf(DeterminismViolationError);
});

/** The names of local activities are only in encoded markers. */
function withMarkers(history: string): string {
  const decoded = [...history.matchAll(/"data": "([^"]*)"/g)].map(([, data = '']) => Buffer.from(data, 'base64'));
  return `${history}\n${decoded.join('\n')}`;
}
