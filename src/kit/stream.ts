import { type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Logger } from 'pino';

/**
 * Sends parts at the speed of the client, and stops when the client disconnects. An error in the middle closes the
 * connection, so that no client takes a part for the whole.
 */
export function sendPieces(
  response: ServerResponse,
  pieces: AsyncIterable<string>,
  context: { logger: Logger; requestId: string; operation: string },
): void {
  pipeline(Readable.from(pieces), response).catch((error: Error) => {
    const { logger, requestId, operation } = context;
    logger.warn({ requestId, operation, reason: error.message }, 'a list was not sent completely');
  });
}
