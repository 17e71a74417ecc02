import { defaultPayloadConverter } from '@temporalio/common';
import { type ActivityInterceptorsFactory, type WorkerOptions } from '@temporalio/worker';
import { continueTrace, isTracing } from '../kit/tracing';
import { traceHeader } from '../../workflows/messages';

/** The options of a worker that records spans; none while no collector is set. */
export const tracingOptions = (): Pick<WorkerOptions, 'interceptors'> =>
  isTracing() ? { interceptors: { activity: [activityTracing] } } : {};

/** Runs each step in a span of the trace that caused it. */
const activityTracing: ActivityInterceptorsFactory = ({ info }) => ({
  inbound: {
    execute: (input, next) => {
      const header = input.headers[traceHeader];
      const parent = header && defaultPayloadConverter.fromPayload<string>(header);
      const attributes = {
        'temporal.workflow.type': info.workflowType ?? '',
        'temporal.workflow.id': info.workflowExecution?.workflowId ?? '',
        'temporal.run.id': info.workflowExecution?.runId ?? '',
        'temporal.attempt': info.attempt,
      };
      return continueTrace(parent, { name: `step ${info.activityType}`, attributes }, () => next(input));
    },
  },
});
