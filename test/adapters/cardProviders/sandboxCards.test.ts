import { sandboxCards, sandboxOutcomes } from '../../../scripts/paymentSimulator/testCards';
import { passesLuhn } from '../../../src/kit/cardNumbers';

test('each published number is a valid Visa number that a form would let pass', () => {
  for (const { number } of sandboxCards) {
    expect(number).toMatch(/^4\d{15}$/);
    expect(passesLuhn(number)).toBe(true);
  }
});

test('each number and each last four is published once, so that two cards never share a fingerprint', () => {
  expect(new Set(sandboxCards.map(({ number }) => number.slice(-4))).size).toBe(sandboxCards.length);
});

test('each outcome has a card', () => {
  expect(new Set(sandboxCards.map(({ outcome }) => outcome))).toEqual(new Set(sandboxOutcomes));
});
