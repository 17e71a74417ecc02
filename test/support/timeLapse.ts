import { type WorkflowInterceptorsFactory } from '@temporalio/workflow';

export const hourMs = 3_600_000;

/** An hour passes in a millisecond, on the workflow's clock too. Loaded into the workflows' bundle as an interceptor. */
export const interceptors: WorkflowInterceptorsFactory = () => lapse(hourMs);

/** The length of time that passes in a millisecond. */
export function lapse(unitMs: number): ReturnType<WorkflowInterceptorsFactory> {
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
          const durationMs = Math.ceil(input.durationMs / unitMs);
          await next({ ...input, durationMs });
          skippedMs += input.durationMs - durationMs;
        },
      },
    ],
  };
}
