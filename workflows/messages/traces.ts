/** The header of a start, a signal, an update and a step that contains the trace which caused it. */
export const traceHeader = 'paywall-traceparent';
