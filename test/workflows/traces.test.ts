import { interceptors } from '../../workflows/traces';
import { traceHeader } from '../../workflows/messages';

/** The trace that a run passes on to its steps. */

const startedAt = Date.UTC(2026, 0, 1);
const lifetimeMs = 15 * 60_000;
const trace = (value: string) => ({ [traceHeader]: { data: Buffer.from(value) } });

beforeEach(() => jest.useFakeTimers({ now: startedAt, doNotFake: ['nextTick', 'setImmediate'] }));
afterEach(() => jest.useRealTimers());

/** A run: `receives` gets a start, signal or update, and `stepHeaders` returns the headers of a step that begins now. */
function startRun() {
  const { inbound = [], outbound = [] } = interceptors();
  const [received] = inbound;
  const [scheduled] = outbound;
  if (!received || !scheduled) throw new Error('The run has no interceptors');
  return {
    receives: (kind: 'execute' | 'handleSignal' | 'handleUpdate', headers: object) =>
      received[kind]?.({ headers } as never, () => Promise.resolve(undefined)),
    stepHeaders: (kind: 'scheduleActivity' | 'scheduleLocalActivity' = 'scheduleActivity', headers: object = {}) =>
      scheduled[kind]?.({ headers } as never, (input: { headers: object }) => Promise.resolve(input.headers)),
  };
}

test.each(['execute', 'handleSignal', 'handleUpdate'] as const)('%s: steps continue its trace', async (kind) => {
  const run = startRun();
  await run.receives(kind, trace('one'));
  expect(await run.stepHeaders()).toEqual(trace('one'));
  expect(await run.stepHeaders('scheduleLocalActivity', { other: 1 })).toEqual({ other: 1, ...trace('one') });
});

test('the newest trace counts, and a signal without one keeps the trace before it', async () => {
  const run = startRun();
  await run.receives('execute', trace('one'));
  await run.receives('handleSignal', trace('two'));
  await run.receives('handleSignal', {});
  expect(await run.stepHeaders()).toEqual(trace('two'));
});

test('a run without a trace, and a step after 15 minutes, have no headers', async () => {
  const run = startRun();
  expect(await run.stepHeaders()).toEqual({});
  await run.receives('execute', trace('one'));
  jest.setSystemTime(startedAt + lifetimeMs);
  expect(await run.stepHeaders()).toEqual(trace('one'));
  jest.setSystemTime(startedAt + lifetimeMs + 1);
  expect(await run.stepHeaders()).toEqual({});
});
