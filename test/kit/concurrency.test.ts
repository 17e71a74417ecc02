import { setImmediate as turn } from 'node:timers/promises';
import { allOrFirstError, eachInParallel, WorkQueue } from '../../src/kit/concurrency';

test('together: all answers, in the order of the questions', async () => {
  expect(await allOrFirstError(Promise.resolve(1), Promise.resolve('two'))).toEqual([1, 'two']);
});

test('together: the first of the list that fails is what fails, whichever fails first', async () => {
  let failLate = (): void => undefined;
  const late = new Promise<never>((_resolve, reject) => (failLate = () => reject(new Error('the first'))));
  const early = Promise.reject(new Error('the second'));
  const asked = allOrFirstError(Promise.resolve(), late, early);
  await early.catch(failLate);
  await expect(asked).rejects.toThrow('the first');
});

test('eachInParallel: every item once, in order, and never more at the same time than allowed', async () => {
  const begun: number[] = [];
  let running = 0;
  let most = 0;
  await eachInParallel([1, 2, 3, 4, 5], 2, async (item) => {
    begun.push(item);
    running += 1;
    most = Math.max(most, running);
    await turn();
    running -= 1;
  });
  expect({ begun, most }).toEqual({ begun: [1, 2, 3, 4, 5], most: 2 });
});

describe('a queue of works', () => {
  /** Works that end when the test says so. */
  function begin(queue: WorkQueue, begun: string[], name: string) {
    let end = (): void => undefined;
    const done = queue.run(() => {
      begun.push(name);
      return new Promise<string>((resolve) => (end = () => resolve(name)));
    });
    return { done, end: () => end() };
  }

  test('runs as many as allowed, and then each of the others in order', async () => {
    const [queue, begun] = [new WorkQueue(2, 2), [] as string[]];
    const works = ['a', 'b', 'c', 'd'].map((name) => begin(queue, begun, name));
    await turn();
    expect(begun).toEqual(['a', 'b']);
    works[1]?.end();
    await works[1]?.done;
    await turn();
    expect(begun).toEqual(['a', 'b', 'c']);
    works[0]?.end();
    await works[0]?.done;
    await turn();
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
    works.forEach(({ end }) => end());
    expect(await Promise.all(works.map(({ done }) => done))).toEqual(['a', 'b', 'c', 'd']);
  });

  test('503 service_unavailable: one more than may wait, and none when there is room again', async () => {
    const [queue, begun] = [new WorkQueue(1, 1), [] as string[]];
    const [first, second] = [begin(queue, begun, 'a'), begin(queue, begun, 'b')];
    await expect(queue.run(() => Promise.resolve('c'))).rejects.toMatchObject({ code: 'service_unavailable' });
    first.end();
    await first.done;
    const third = queue.run(() => Promise.resolve('d'));
    await turn();
    second.end();
    expect(await Promise.all([second.done, third])).toEqual(['b', 'd']);
  });

  test('a work that fails leaves its place to the next one', async () => {
    const queue = new WorkQueue(1, 1);
    const failed = queue.run(() => Promise.reject(new Error('a fault')));
    const next = queue.run(() => Promise.resolve('next'));
    await expect(failed).rejects.toThrow('a fault');
    expect(await next).toBe('next');
    expect(await queue.run(() => Promise.resolve('later'))).toBe('later');
  });
});
