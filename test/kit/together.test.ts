import { together } from '../../src/kit/together';

test('together: all answers, in the order of the questions', async () => {
  expect(await together(Promise.resolve(1), Promise.resolve('two'))).toEqual([1, 'two']);
});

test('together: the first of the list that fails is what fails, whichever fails first', async () => {
  let failLate = (): void => undefined;
  const late = new Promise<never>((_resolve, reject) => (failLate = () => reject(new Error('the first'))));
  const early = Promise.reject(new Error('the second'));
  const asked = together(Promise.resolve(), late, early);
  await early.catch(failLate);
  await expect(asked).rejects.toThrow('the first');
});
