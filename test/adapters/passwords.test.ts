import '../support/everyHash';
import type * as Passwords from '../../src/adapters/passwords';

let before: NodeJS.ProcessEnv;

beforeEach(() => {
  before = { ...process.env };
  jest.resetModules();
});

afterEach(() => {
  process.env = before;
});

const first = '1:the-first-of-all-peppers';
const second = '2:the-pepper-that-came-later';

function passwordsWith(pepper: string): Promise<typeof Passwords> {
  jest.resetModules();
  process.env = { ...before, PASSWORD_PEPPER: pepper };
  return import('../../src/adapters/passwords.js');
}

test('without a pepper a hash is what the library makes', async () => {
  const { hashPassword, verifyPassword, isOutdated } = await passwordsWith('');
  const made = await hashPassword('correct-horse');
  expect(made).toMatch(/^\$argon2id\$/);
  expect([await verifyPassword(made, 'correct-horse'), await verifyPassword(made, 'wrong-horse')]).toEqual([
    true,
    false,
  ]);
  expect(isOutdated(made)).toBe(false);
});

test('a hash names its pepper’s version, and fits no password without it', async () => {
  const { hashPassword, verifyPassword } = await passwordsWith(first);
  const made = await hashPassword('correct-horse');
  expect(made).toMatch(/^p1\$argon2id\$/);
  expect(await verifyPassword(made, 'correct-horse')).toBe(true);
  for (const other of ['', second, '1:another-pepper-of-that-version'])
    expect(await (await passwordsWith(other)).verifyPassword(made, 'correct-horse')).toBe(false);
});

test('while it is replaced both versions fit, and what is not of the newest is outdated', async () => {
  const plain = await (await passwordsWith('')).hashPassword('correct-horse');
  const old = await (await passwordsWith(first)).hashPassword('correct-horse');
  const { hashPassword, verifyPassword, isOutdated } = await passwordsWith(`${second}, ${first}`);
  const made = await hashPassword('correct-horse');
  for (const known of [plain, old, made]) expect(await verifyPassword(known, 'correct-horse')).toBe(true);
  expect([plain, old, made].map(isOutdated)).toEqual([true, true, false]);
});

test('taken away again, hashes with one are outdated', async () => {
  const old = await (await passwordsWith(first)).hashPassword('correct-horse');
  expect((await passwordsWith('')).isOutdated(old)).toBe(true);
});

test('an account that does not exist fits no password', async () => {
  const { verifyPassword } = await passwordsWith(first);
  expect(await verifyPassword(undefined, 'no account has this password')).toBe(false);
});

test.each(['secret', '1:short', `1:${'x'.repeat(20)},1:${'y'.repeat(20)}`, 'x:the-first-of-all-peppers'])(
  'a setting that is no list of versions and secrets is refused: %s',
  async (pepper) => {
    await expect(passwordsWith(pepper)).rejects.toThrow('PASSWORD_PEPPER: must be like');
  },
);
