import { InvalidatingCache } from '../../src/kit/invalidatingCache';

interface Reading {
  key: number;
  answer: (text: string) => void;
  fail: () => void;
}

/** The test answers each read by hand. */
function memory(room: ConstructorParameters<typeof InvalidatingCache<{ text: string }>>[1] = { max: 10 }) {
  const readings: Reading[] = [];
  const remembered = new InvalidatingCache<{ text: string }>(
    (key) =>
      new Promise((resolve, reject) => {
        readings.push({ key, answer: (text) => resolve({ text }), fail: () => reject(new Error('away')) });
      }),
    room,
  );
  const answer = async (text: string) => {
    readings.at(-1)?.answer(text);
    await new Promise(setImmediate);
  };
  return { remembered, readings, answer };
}

test('what was read once is there at once, and read no more', async () => {
  const { remembered, readings, answer } = memory();
  const first = remembered.get(1);
  const second = remembered.get(1);
  await answer('one');
  expect([await first, await second]).toEqual([{ text: 'one' }, { text: 'one' }]);
  expect(remembered.get(1)).toEqual({ text: 'one' });
  expect(readings.map(({ key }) => key)).toEqual([1]);
});

test('what changes while it is read is read again', async () => {
  const { remembered, readings, answer } = memory();
  const old = remembered.get(1);
  remembered.forget(1);
  await answer('old');
  expect(await old).toEqual({ text: 'old' });
  const asked = remembered.get(1);
  expect(readings).toHaveLength(2);
  await answer('new');
  expect([await asked, remembered.get(1)]).toEqual([{ text: 'new' }, { text: 'new' }]);
  remembered.forgetAll();
  expect(remembered.get(1)).toBeInstanceOf(Promise);
});

test('a reading that fails is not remembered', async () => {
  const { remembered, readings, answer } = memory();
  const failed = expect(remembered.get(1)).rejects.toThrow('away');
  readings[0]?.fail();
  await failed;
  const asked = remembered.get(1);
  await answer('one');
  expect(await asked).toEqual({ text: 'one' });
});

test('no more is kept than there is room for', async () => {
  const { remembered, readings, answer } = memory({
    max: 10,
    size: { of: ({ text }) => text.length, ofUnread: 1 },
  });
  for (const key of [1, 2, 3]) {
    void remembered.get(key);
    await answer('four');
  }
  expect(remembered.get(3)).toEqual({ text: 'four' });
  expect(remembered.get(2)).toEqual({ text: 'four' });
  expect(remembered.get(1)).toBeInstanceOf(Promise);
  expect(readings).toHaveLength(4);
});
