import { AsyncLocalStorage } from 'node:async_hooks';
import { type Caller } from './auth';
import { type KitDependencies } from './dependencies';
import { Answer, type Endpoint } from './endpoint';

/** A call of an endpoint by a request or by a page. `operation`: the name of the endpoint or of the page. */
interface Call {
  caller: Caller | undefined;
  method: Endpoint['method'];
  operation: string;
  requestId: string;
}

/**
 * Calls the handler of an endpoint. Its statements, and those of a streamed answer, see no rows of other merchants. A write
 * in the name of another account is recorded.
 */
export function callHandler(
  { withinMerchantOf, recordActing }: Pick<KitDependencies, 'withinMerchantOf' | 'recordActing'>,
  { caller, method, ...write }: Call,
  handler: () => unknown,
): Promise<unknown> {
  const isActed = caller?.actorUuid !== undefined && method !== 'get';
  return withinMerchantOf(caller, async () => {
    const result: unknown = await (isActed ? recordActing(caller, write, handler) : handler());
    if (!(result instanceof Answer) || result.options.stream === undefined) return result;
    const { body, options } = result as Answer<unknown>;
    return new Answer(body, { ...options, stream: inContext(result.options.stream) });
  });
}

/** The parts are read after the handler has returned. Each is read in the context of the handler. */
function inContext(pieces: AsyncIterable<string>): AsyncIterable<string> {
  const run = AsyncLocalStorage.snapshot();
  return {
    [Symbol.asyncIterator]: () => {
      const iterator = pieces[Symbol.asyncIterator]();
      const end = iterator.return?.bind(iterator);
      return { next: () => run(() => iterator.next()), ...(end && { return: () => run(() => end()) }) };
    },
  };
}
