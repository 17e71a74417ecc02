import fc from 'fast-check';
import { contrast } from '../../../src/kit/colours';
import { consoleTheme } from '../../../src/pages/console/frame';
import { houseTheme, operatorTheme, themeProperties } from '../../../src/pages/layout/theme';

/** The colours that are derived from a merchant's colours. */

const readable = 4.5;
/** The best contrast that a dark or light text has on a colour between them (`readableOn`). */
const readableOnAny = 4;
const colour = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);
const greyBetween = (min: number, max: number) =>
  fc.integer({ min, max }).map((grey) => `#${grey.toString(16).padStart(2, '0').repeat(3)}`);
const nearlyBlack = greyBetween(0, 0x40);
const nearlyWhite = greyBetween(0xe0, 0xff);
/** The lowest contrast of a control with what is around it (WCAG 2.2, 1.4.11). */
const edgeContrast = 3;
type Mode = 'light' | 'dark';
/** The colours of a theme's properties on a light or a dark page. */
const propertiesOf = (theme: object, mode: Mode = 'light') => {
  const { text } = themeProperties({ ...houseTheme, ...theme });
  const found = text.matchAll(/--([a-z-]+):(?:light-dark\((#[\da-f]+),(#[\da-f]+)\)|(#[\da-f]+))/g);
  return Object.fromEntries(
    [...found].map(([, name = '', light = '', dark = '', both]) => [name, both ?? (mode === 'light' ? light : dark)]),
  );
};
const mode = fc.constantFrom<Mode>('light', 'dark');
const grounds = { light: ['#ffffff', '#f9f9fb', '#f0f0f3'], dark: ['#111113', '#18191b', '#212225'] };

test('a quiet text can be read wherever it stands, in any second colour', () => {
  fc.assert(
    fc.property(colour, mode, (secondary, shown) => {
      const found = propertiesOf({ secondary }, shown);
      for (const ground of grounds[shown])
        expect(contrast(found['secondary'] ?? '', ground)).toBeGreaterThanOrEqual(readable);
    }),
  );
});

test('a link can be read wherever it stands, in any first colour', () => {
  fc.assert(
    fc.property(colour, mode, (primary, shown) => {
      const found = propertiesOf({ primary }, shown);
      for (const ground of grounds[shown])
        expect(contrast(found['accent'] ?? '', ground)).toBeGreaterThanOrEqual(readable);
    }),
  );
});

test('a link has the first colour where it can be read, and else a darker or lighter one of it', () => {
  expect(propertiesOf({ primary: '#7c2d12' })['accent']).toBe('#7c2d12');
  expect(propertiesOf({ primary: '#7c2d12' }, 'dark')['accent']).toBe('#b08171');
  expect(propertiesOf({ primary: '#ff0' })['accent']).toMatch(/^#(\w\w)\1(?:00)$/);
});

test('pages follow the device of the visitor, unless the brand is dark', () => {
  expect(themeProperties(houseTheme).text).not.toContain('color-scheme');
  expect(themeProperties({ ...houseTheme, isDark: true }).text).toContain('color-scheme:dark;');
});

test('the second colour is the one that was chosen where it can be read', () => {
  expect(propertiesOf({ secondary: '#7c2d12' })['secondary']).toBe('#7c2d12');
  expect(propertiesOf({ secondary: '#ffdd00' })['secondary']).toBe('#60646c');
  expect(propertiesOf({ secondary: '#ffdd00' }, 'dark')['secondary']).toBe('#ffdd00');
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

test('a button can be told from a dark page, in any colour, and its text can be read there', () => {
  fc.assert(
    fc.property(fc.oneof(colour, nearlyBlack), colour, (button, buttonText) => {
      const found = propertiesOf({ button, buttonText }, 'dark');
      expect(contrast(found['button'] ?? '', '#18191b')).toBeGreaterThanOrEqual(1.5);
      expect(contrast(found['button'] ?? '', found['on-button'] ?? '')).toBeGreaterThan(readableOnAny);
    }),
  );
});

test('the edge of a button can be told from all around it, in any colour', () => {
  fc.assert(
    fc.property(fc.oneof(colour, nearlyWhite, nearlyBlack), mode, (button, shown) => {
      const found = propertiesOf({ button, previewButton: button }, shown);
      for (const name of ['button-edge', 'preview-button-edge'])
        for (const ground of grounds[shown])
          expect(contrast(found[name] ?? '', ground)).toBeGreaterThanOrEqual(edgeContrast);
    }),
  );
});

test('a white button has a grey edge on a light page, and one that can be seen has none of its own', () => {
  expect(propertiesOf({ button: '#ffffff' })).toMatchObject({ button: '#ffffff', 'button-edge': '#808080' });
  expect(propertiesOf({ button: '#ffffff' }, 'dark')['button-edge']).toBe('#ffffff');
  expect(propertiesOf({ button: '#b4341f' })['button-edge']).toBe('#b4341f');
  expect(propertiesOf({ button: '#1c1c1f', buttonText: '#fff' }, 'dark')['button-edge']).toBe('#ffffff');
});

test('the line above a preview can be told from the page, in any first colour', () => {
  fc.assert(
    fc.property(fc.oneof(colour, nearlyWhite, nearlyBlack), mode, (primary, shown) => {
      const found = propertiesOf({ primary }, shown);
      for (const ground of grounds[shown])
        expect(contrast(found['primary-line'] ?? '', ground)).toBeGreaterThanOrEqual(edgeContrast);
    }),
  );
});

test('a black button is white on a dark page, and another one keeps its colour', () => {
  const black = { button: '#1c1c1f', buttonText: '#ffffff' };
  expect(propertiesOf(black)).toMatchObject({ button: '#1c1c1f', 'on-button': '#ffffff' });
  expect(propertiesOf(black, 'dark')).toMatchObject({ button: '#ffffff', 'on-button': '#1c1c1f' });
  expect(propertiesOf({ ...black, button: '#b4341f' }, 'dark')['button']).toBe('#b4341f');
});

test.each([
  ['the console', consoleTheme],
  ['operators', operatorTheme],
])('%s: links, marks and buttons have one colour', (_pages, theme) => {
  expect(theme.primary).toBe(theme.button);
  const found = propertiesOf(theme, 'dark');
  for (const ground of grounds.dark) expect(contrast(found['accent'] ?? '', ground)).toBeGreaterThanOrEqual(readable);
});
