import { type Headers, type WorkflowInterceptorsFactory } from '@temporalio/workflow';
import { traceHeader } from './messages';

/** A step that begins later than this after its cause begins a trace of its own: a renewal is not part of a purchase. */
const causeLastsMs = 15 * 60_000;

/** Passes the trace of the newest start, signal or update on to the steps. It does not change what a workflow does. */
export const interceptors: WorkflowInterceptorsFactory = () => {
  let cause: { headers: Headers; atMs: number } | undefined;
  const notice = ({ headers }: { headers: Headers }) => {
    const header = headers[traceHeader];
    if (header) cause = { headers: { [traceHeader]: header }, atMs: Date.now() };
  };
  const withCause = <Input extends { headers: Headers }>(input: Input): Input =>
    cause && Date.now() - cause.atMs <= causeLastsMs
      ? { ...input, headers: { ...input.headers, ...cause.headers } }
      : input;
  return {
    inbound: [
      {
        execute: (input, next) => {
          notice(input);
          return next(input);
        },
        handleSignal: (input, next) => {
          notice(input);
          return next(input);
        },
        handleUpdate: (input, next) => {
          notice(input);
          return next(input);
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next(withCause(input)),
        scheduleLocalActivity: (input, next) => next(withCause(input)),
      },
    ],
  };
};
