import fc from 'fast-check';
import { contrast, readableOn } from '../../src/kit/colours';

test('contrast as WCAG computes it', () => {
  expect(contrast('#000', '#ffffff')).toBeCloseTo(21);
  expect(contrast('#777777', '#fff')).toBeCloseTo(4.48, 2);
  expect(contrast('#abc', '#abc')).toBe(1);
});

test('the wanted colour where it can be read, else the better of dark and light', () => {
  expect(readableOn('#00603f', '#ffe')).toBe('#ffe');
  expect(readableOn('#ffd400', '#ffffff')).toBe('#1c2024');
  expect(readableOn('#222', '#000')).toBe('#ffffff');
});

const colour = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);

test('a text can be read on any colour', () => {
  fc.assert(
    fc.property(colour, colour, (background, wanted) => {
      expect(contrast(background, readableOn(background, wanted))).toBeGreaterThan(4);
    }),
  );
});
