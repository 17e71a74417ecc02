import { type IncomingMessage, type ServerResponse } from 'node:http';

const droppedBytesMax = 256 * 1024;
const droppedWithinMs = 1_000;

/**
 * Ends a response to a request whose body was not read. Many clients read the response only after they have sent the
 * body, and a connection that closes before that is an error to them. So the rest of the body is read and dropped, up to
 * a limit.
 */
export function endAfterRequest(request: IncomingMessage, response: ServerResponse): void {
  let bytes = 0;
  const end = () => {
    clearTimeout(timer);
    request.off('data', drop);
    response.end();
  };
  const drop = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > droppedBytesMax) end();
  };
  const timer = setTimeout(end, droppedWithinMs);
  request.once('end', end).once('error', end).once('close', end).on('data', drop);
}
