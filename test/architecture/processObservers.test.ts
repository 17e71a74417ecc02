import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

/** A process of its own, because the runtime of the tests observes this one. */
const program = `
  import hooks from 'node:perf_hooks';
  import { rememberObservers, stopObservers } from ${JSON.stringify(path.join(__dirname, '../support/processObservers.mjs'))};
  const turn = () => new Promise((resolve) => setTimeout(resolve));
  rememberObservers();
  const heard = [];
  new hooks.PerformanceObserver((list) => heard.push(...list.getEntriesByType('mark').map(({ name }) => name)))
    .observe({ entryTypes: ['mark'] });
  const delays = hooks.monitorEventLoopDelay();
  delays.enable();
  performance.mark('of this file');
  while (heard.length === 0) await turn();
  stopObservers();
  performance.mark('of the next file');
  await turn();
  await turn();
  console.log(JSON.stringify({ heard, isStillMeasured: delays.disable() }));
`;

test('what observes the process for a test file ends with it', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
  expect(JSON.parse(stdout)).toEqual({ heard: ['of this file'], isStillMeasured: false });
});
