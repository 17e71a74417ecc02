import { Secret } from 'otpauth';
import { createSecret, findStep } from '../../../src/accounts/secondFactors/totp';

/** The secret and the times of RFC 6238, appendix B, with the last six of eight digits. */
const secret = new Secret({ buffer: new TextEncoder().encode('12345678901234567890').buffer }).base32;

test.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_234_567_890, '005924'],
  [20_000_000_000, '353130'],
])('the code of RFC 6238 at %i seconds', (seconds, code) => {
  expect(findStep(secret, code, seconds * 1000)).toBe(Math.floor(seconds / 30));
});

test('a code is accepted one step before and after its time, and no further', () => {
  const accepted = [-2, -1, 0, 1, 2].map((steps) => findStep(secret, '287082', (45 + steps * 30) * 1000));
  expect(accepted).toEqual([undefined, 1, 1, 1, undefined]);
});

test.each(['28708', '2870820', 'abcdef', ''])('%j is no code', (code) => {
  expect(findStep(secret, code, 59_000)).toBeUndefined();
});

test('each secret has 160 random bits', () => {
  const secrets = Array.from({ length: 50 }, createSecret);
  expect(new Set(secrets).size).toBe(50);
  expect(secrets.every((made) => /^[A-Z2-7]{32}$/.test(made))).toBe(true);
});
