import pino, { type Logger } from 'pino';
import { config } from '../config';
import { traceIds } from '../kit/tracing';

/**
 * JSON lines on standard output. Fields are chosen where a line is written and never spread from a request. Of an error
 * only type, message, code and stack are logged, because libraries attach SQL values and request bodies to their
 * errors.
 */
export const logger: Logger = pino({
  level: config.LOG_LEVEL,
  base: {},
  mixin: traceIds,
  serializers: { err: describeError },
  redact: {
    paths: ['authorization', 'password', 'token', 'secret', 'receipt', 'email', 'number', 'cvv'].flatMap((name) => [
      name,
      `*.${name}`,
    ]),
    censor: '[redacted]',
  },
});

function describeError(error: unknown) {
  if (!(error instanceof Error)) return { message: String(error) };
  const { code } = error as { code?: unknown };
  return { type: error.name, message: error.message, stack: error.stack, ...(typeof code === 'string' && { code }) };
}
