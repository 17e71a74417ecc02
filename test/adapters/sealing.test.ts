import { randomBytes } from 'node:crypto';
import type * as Sealing from '../../src/adapters/sealing';

/** As in another process whose data key is this one. */
function withKey(key: Buffer): typeof Sealing {
  let sealing: typeof Sealing | undefined;
  jest.isolateModules(() => {
    jest.doMock('../../src/adapters/dataKey', () => ({ dataKey: () => key }));
    sealing = jest.requireActual<typeof Sealing>('../../src/adapters/sealing');
  });
  if (!sealing) throw new Error('the module was not loaded');
  return sealing;
}

const key = randomBytes(32);
const ours = withKey(key);
const text = 'a token, and Žürich';

test('what is sealed is opened by every process with the key, and reads like nothing', () => {
  const box = ours.seal('mail', text);
  expect(withKey(key).unseal('mail', box)).toBe(text);
  expect(box.includes('token')).toBe(false);
  expect(ours.seal('mail', text).equals(box)).toBe(false);
});

test('another key, another purpose, a changed byte or half a box open nothing', () => {
  const box = ours.seal('mail', text);
  const changed = Buffer.from(box);
  changed.writeUInt8(changed.readUInt8(box.length - 1) ^ 1, box.length - 1);
  expect(withKey(randomBytes(32)).unseal('mail', box)).toBeUndefined();
  expect(ours.unseal('cards', box)).toBeUndefined();
  expect(ours.unseal('mail', changed)).toBeUndefined();
  for (const length of [0, 5, 12, 20, 28, box.length - 1])
    expect(ours.unseal('mail', box.subarray(0, length))).toBeUndefined();
});
