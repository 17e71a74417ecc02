import fc from 'fast-check';
import { contrast } from '../../../src/kit/colours';
import { houseTheme, themeProperties } from '../../../src/pages/layout/theme';

/** The colours that are derived from a merchant's colours. */

const readable = 4.5;
/** The best contrast that a dark or light text has on a colour between them (`readableOn`). */
const readableOnAny = 4;
const colour = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);
const propertiesOf = (theme: object) => {
  const { text } = themeProperties({ ...houseTheme, ...theme });
  return Object.fromEntries(
    [...text.matchAll(/--([a-z-]+):(#[\da-f]+)/g)].map(([, name = '', value = '']) => [name, value]),
  );
};

test('a quiet text can be read wherever it stands, in any second colour', () => {
  fc.assert(
    fc.property(colour, fc.boolean(), (secondary, isDark) => {
      const found = propertiesOf({ secondary, isDark });
      const grounds = isDark ? ['#131318', '#1d1d24', '#292932'] : ['#ffffff', '#f4f4f6', '#f0f0f4'];
      for (const ground of grounds) expect(contrast(found['secondary'] ?? '', ground)).toBeGreaterThanOrEqual(readable);
    }),
  );
});

test('the second colour is the one that was chosen where it can be read', () => {
  expect(propertiesOf({ secondary: '#7c2d12' })['secondary']).toBe('#7c2d12');
  expect(propertiesOf({ secondary: '#ffdd00' })['secondary']).toBe('#5c5c66');
  expect(propertiesOf({ secondary: '#ffdd00', isDark: true })['secondary']).toBe('#ffdd00');
});

test('the text on each button can be read on it', () => {
  fc.assert(
    fc.property(colour, colour, (button, buttonText) => {
      const found = propertiesOf({ button, buttonText, previewButton: buttonText, previewButtonText: button });
      for (const name of ['button', 'preview-button'])
        expect(contrast(found[name] ?? '', found[`on-${name}`] ?? '')).toBeGreaterThan(readableOnAny);
      expect([found['button'], found['preview-button']]).toEqual([button, buttonText]);
    }),
  );
});
