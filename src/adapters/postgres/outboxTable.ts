/** The start of a statement that writes messages for the relay. `traceparent` comes from `currentTrace`. */
export const intoOutbox =
  'INSERT INTO outbox (workflow, workflow_id, message_id, signal, input, memo, available_at, traceparent)';
