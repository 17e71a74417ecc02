import { ContinuedAsNew } from './simulatedRun';
import { type SimulatedTemporal } from './simulatedTemporal';

/** What the workflow's code imports from `@temporalio/workflow`, on the simulated Temporal. */

let engine: SimulatedTemporal | undefined;

/** Lets the workflow's code run on this engine from now on. */
export function useEngine(next: SimulatedTemporal): void {
  engine = next;
}

/** The clock of the workflow's code: replaces `Date.now`. */
export const simulatedNow = () => current().nowMs;

function current(): SimulatedTemporal {
  if (!engine) throw new Error('there is no engine');
  return engine;
}

interface Definition {
  name: string;
}

type Handle = (...args: unknown[]) => unknown;

const define = (name: string): Definition => ({ name });

/** Each activity is a function with `executeWithOptions`. */
function proxy(isLocal: boolean) {
  return new Proxy<Record<string, Handle>>(
    {},
    {
      get: (_target, name) => {
        const call = (...args: unknown[]) => current().execute(String(name), args, isLocal);
        return Object.assign(call, {
          executeWithOptions: (_options: unknown, args: unknown[]) => call(...args),
        });
      },
    },
  );
}

export const workflowModule = {
  defineSignal: define,
  defineUpdate: define,
  defineQuery: define,
  setHandler: ({ name }: Definition, handle: Handle, { validator }: { validator?: Handle } = {}) =>
    current().handle(name, { handle, validator }),
  allHandlersFinished: () => current().haveHandlersFinished(),
  condition: (check: () => boolean, timeoutMs?: number) => current().waitFor(check, timeoutMs),
  sleep: (ms: number) => current().waitFor(() => false, ms),
  continueAsNew: (input: unknown) => Promise.reject(new ContinuedAsNew(input)),
  proxyActivities: () => proxy(false),
  proxyLocalActivities: () => proxy(true),
  workflowInfo: () => ({
    taskQueue: 'simulated',
    continueAsNewSuggested: false,
    typedSearchAttributes: { get: () => undefined },
  }),
  upsertSearchAttributes: () => undefined,
  setCurrentDetails: () => undefined,
  log: { warn: () => undefined, info: () => undefined },
};
