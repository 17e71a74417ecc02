import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { startSmall } from '../../src/adapters/startupMemory';

/** Keeps many objects, as the loading of modules does, and reports the size of its young generation. */
const program = `
  const kept = [];
  for (let count = 0; count < 200_000; count += 1) kept.push({ name: 'module ' + count, exports: [count, {}] });
  const young = require('node:v8').getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
  require('node:worker_threads').parentPort.postMessage(young.space_size);
`;

async function startThread(): Promise<number> {
  const [bytes] = (await once(new Worker(program, { eval: true }), 'message')) as [number];
  return bytes;
}

test('the young generation of a thread stays small while it starts, and grows with the work of a later one', async () => {
  const small = await startSmall(startThread);
  expect(small).toBeLessThanOrEqual(2 * 2 ** 20);
  expect(await startThread()).toBeGreaterThan(2 * small);
});

test('later threads grow even if the start fails', async () => {
  const failure = startSmall(() => Promise.reject(new Error('no server')));
  await expect(failure).rejects.toThrow('no server');
  expect(await startThread()).toBeGreaterThan(2 * 2 ** 20);
});
