import { setImmediate as turn } from 'node:timers/promises';
import { eachInParallel, allOrFirstError } from '../../src/kit/concurrency';

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
