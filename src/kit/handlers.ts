import { AsyncLocalStorage } from 'node:async_hooks';
import { type Caller } from './auth';
import { type KitDependencies } from './dependencies';
import { Answer } from './endpoint';

/** Calls the handler of an endpoint. Its statements, and those of a streamed answer, see no rows of other merchants. */
export function callHandler(
  { withinMerchantOf }: Pick<KitDependencies, 'withinMerchantOf'>,
  { caller }: { caller: Caller | undefined },
  handler: () => unknown,
): Promise<unknown> {
  return withinMerchantOf(caller, async () => {
    const result: unknown = await handler();
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
