import { type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Logger } from 'pino';

/** As fast as the client takes it, and no further when it goes away. What fails midway breaks off: half is not a whole. */
export function sendPieces(
  response: ServerResponse,
  pieces: AsyncIterable<string>,
  told: { logger: Logger; requestId: string; operation: string },
): void {
  pipeline(Readable.from(pieces), response).catch((error: Error) => {
    const { logger, requestId, operation } = told;
    logger.warn({ requestId, operation, reason: error.message }, 'a list was not sent to its end');
  });
}
