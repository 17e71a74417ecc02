/** Colours as `#rgb` or `#rrggbb`, and whether a text on them can be read (WCAG 2.2, 1.4.3). */

const readableContrast = 4.5;
/** The lowest contrast of the edge of a control with what is around it (WCAG 2.2, 1.4.11). */
export const edgeContrast = 3;
const dark = '#1c2024';
const light = '#ffffff';

/**
 * The wanted text colour if it is readable on the background. Otherwise dark or light, whichever has the higher
 * contrast.
 */
export function readableOn(background: string, wanted: string): string {
  if (contrast(background, wanted) >= readableContrast) return wanted;
  return contrast(background, dark) >= contrast(background, light) ? dark : light;
}

/** The wanted colour, darker or lighter where its contrast with the background is too low, by default for text. Its hue stays. */
export function shadeOn(background: string, wanted: string, lowest = readableContrast): string {
  const goal = luminance(background) > 0.5 ? '#000000' : '#ffffff';
  for (let part = 0; part < 1; part += 0.05) {
    const shade = mixed(wanted, goal, part);
    if (contrast(background, shade) >= lowest) return shade;
  }
  return goal;
}

/** `part` of the second colour, and the rest of the first. */
function mixed(first: string, second: string, part: number): string {
  const to = channels(second);
  const mix = channels(first).map((value, index) => Math.round(value + ((to[index] ?? 0) - value) * part));
  return `#${mix.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

/** From 1 (equal colours) to 21 (black on white). */
export function contrast(first: string, second: string): number {
  const [darker = 0, lighter = 0] = [luminance(first), luminance(second)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channels(colour).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Red, green and blue, from 0 to 255. */
function channels(colour: string): number[] {
  const digits = colour.slice(1);
  const full = digits.length === 3 ? [...digits].map((digit) => digit + digit).join('') : digits;
  return [0, 2, 4].map((at) => parseInt(full.slice(at, at + 2), 16));
}
