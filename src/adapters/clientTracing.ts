import { type WorkflowClientInterceptor } from '@temporalio/client';
import { defaultPayloadConverter, type Headers } from '@temporalio/common';
import { traceHeader } from '../../workflows/messages';
import { currentTrace } from '../kit/tracing';

/** Adds the active trace to the headers of starts, signals and updates. The steps of the run continue the trace. */
export const clientTracing: WorkflowClientInterceptor = {
  startWithDetails: (input, next) => next({ ...input, headers: traced(input.headers) }),
  signal: (input, next) => next({ ...input, headers: traced(input.headers) }),
  signalWithStart: (input, next) => next({ ...input, headers: traced(input.headers) }),
  startUpdate: (input, next) => next({ ...input, headers: traced(input.headers) }),
  startUpdateWithStart: (input, next) =>
    next({
      ...input,
      workflowStartHeaders: traced(input.workflowStartHeaders),
      updateHeaders: traced(input.updateHeaders),
    }),
};

function traced(headers: Headers): Headers {
  const trace = currentTrace();
  return trace === null ? headers : { ...headers, [traceHeader]: defaultPayloadConverter.toPayload(trace) };
}
