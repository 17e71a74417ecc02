import { publicToken } from '../../src/kit/publicTokens';

const many = Array.from({ length: 500 }, () => publicToken('S', 'SB'));

test('only hyphens part the prefix, 22 letters and digits, and the suffix', () => {
  for (const token of many) expect(token).toMatch(/^S-[A-Za-z0-9]{22}-SB$/);
});

test('without a suffix there is no second hyphen', () => {
  expect(publicToken('X')).toMatch(/^X-[A-Za-z0-9]{22}$/);
});

test('no token comes twice', () => {
  expect(new Set(many).size).toBe(many.length);
});
