import { type WorkflowInterceptorsFactory } from '@temporalio/workflow';

/** An hour passes in a millisecond, on the workflow's clock too. Loaded into the workflows' bundle as an interceptor. */
export const interceptors: WorkflowInterceptorsFactory = () => {
  const RealDate = Date;
  let skippedMs = 0;
  globalThis.Date = class extends RealDate {
    static override now() {
      return RealDate.now() + skippedMs;
    }
  } as DateConstructor;
  return {
    outbound: [
      {
        async startTimer(input, next) {
          const durationMs = lapsedMs(input.durationMs);
          await next({ ...input, durationMs });
          skippedMs += input.durationMs - durationMs;
        },
      },
    ],
  };
};

const hourMs = 3_600_000;

/** How long a timer takes under the time lapse, and how long it stands for. */
const lapsedMs = (durationMs: number) => Math.ceil(durationMs / hourMs);
export const unlapsedMs = (durationMs: number) => durationMs * hourMs;
