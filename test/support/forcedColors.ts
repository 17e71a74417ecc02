import { type Page } from 'playwright-core';

/**
 * What a page loses where the system chooses the colours: backgrounds, shadows and the colours of texts. The findings are
 * read from the computed styles, in the light and in the dark system colours.
 */
export async function lossesOf(page: Page): Promise<string[]> {
  // An element can be found before the style sheet is there.
  await page.waitForLoadState('load');
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ forcedColors: 'active', colorScheme, reducedMotion: 'reduce' });
    // The first key makes the browser show the focus of what a script focuses.
    await page.keyboard.press('Tab');
    const losses = await page.evaluate<string[]>(`(${finder})()`);
    found.push(...losses.map((loss) => `${colorScheme}: ${loss}`));
  }
  await page.emulateMedia({ forcedColors: 'none', colorScheme: 'light' });
  return found;
}

/** Runs in the browser. */
const finder = `() => {
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0;
  const all = (selector) => [...document.querySelectorAll(selector)].filter(isShown);
  const nameOf = (element) =>
    element.localName + (element.getAttribute('class') ? '.' + element.getAttribute('class').replaceAll(' ', '.') : '') +
    ' "' + (element.textContent || element.getAttribute('name') || '').trim().slice(0, 30) + '"';
  const probe = document.createElement('span');
  probe.style.color = 'Canvas';
  document.body.append(probe);
  const canvas = getComputedStyle(probe).color;
  probe.remove();
  const partsOf = (color) => (color.match(/[\\d.]+/g) || []).map(Number);
  const light = (color) => {
    const [r, g, b] = partsOf(color).map((part) => (part /= 255) <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (color) => {
    const [a, b] = [light(color), light(canvas)].sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05);
  };
  const isClear = (color) => color === 'none' || partsOf(color)[3] === 0;
  const seen = (color) => !isClear(color) && contrast(color) >= 3;
  const losses = [];

  const isOutlined = (element) => {
    const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(element);
    return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 && seen(outlineColor);
  };
  const focusable = 'a[href], button:not([disabled]), input, select, textarea, summary, [tabindex="0"]';
  for (const element of all(focusable).filter((one) => one.tabIndex === 0)) {
    element.focus();
    if (document.activeElement !== element) continue;
    const holders = [element, element.closest('.choice'), element.parentElement];
    if (!holders.some((holder) => holder && isOutlined(holder))) losses.push('no focus is seen on ' + nameOf(element));
  }
  document.activeElement.blur();

  const looks = (element) => {
    const own = getComputedStyle(element);
    const border = ['Top', 'Right', 'Bottom', 'Left'].map(
      (side) => own['border' + side + 'Style'] + own['border' + side + 'Width'] + own['border' + side + 'Color']);
    return [border, own.outlineStyle, own.outlineColor, own.textDecorationLine, own.textDecorationThickness, own.fontWeight].join();
  };
  const differs = (element, others) => others.every((other) => looks(other) !== looks(element));
  for (const current of all('[aria-current]')) {
    const list = current.closest('ul, ol, nav, .sizes, .row') || current.parentElement;
    const others = [...list.querySelectorAll('a:not([aria-current])')].filter(isShown);
    const isChip = current.parentElement.matches('.current');
    if (!isChip && others.length > 0 && !differs(current, others)) losses.push('the current link is as the others: ' + nameOf(current));
  }
  for (const chosen of all('.choice:has(:checked)')) {
    const others = [...chosen.parentElement.querySelectorAll('.choice:not(:has(:checked))')].filter(isShown);
    if (!differs(chosen, others)) losses.push('the chosen card is as the others: ' + nameOf(chosen));
  }
  for (const choice of all('.choice, .button, button:not(.plain), input:not([type=hidden]), select, textarea')) {
    const { borderTopWidth, borderTopColor, appearance } = getComputedStyle(choice);
    const isNative = ['checkbox', 'radio', 'file', 'range'].includes(choice.type) && appearance === 'auto';
    if (!isNative && !(parseFloat(borderTopWidth) > 0 && seen(borderTopColor))) losses.push('no edge is seen of ' + nameOf(choice));
  }
  for (const sign of all('.alert:not(.stack)')) {
    if (!seen(getComputedStyle(sign, '::before').backgroundColor)) losses.push('no sign is seen on ' + nameOf(sign));
  }
  for (const icon of all('svg.icon')) {
    const { stroke, fill } = getComputedStyle(icon);
    if (!seen(stroke) && !seen(fill)) losses.push('no line is seen of an icon in ' + nameOf(icon.parentElement));
  }
  for (const mark of all('.chart :is(rect, path, line, circle, polyline), .spark polyline, .legend svg *')) {
    const { stroke, fill, display } = getComputedStyle(mark);
    if (display === 'none' || (isClear(stroke) && isClear(fill))) continue;
    const isLine = ['line', 'polyline'].includes(mark.localName);
    if (!seen(stroke) && (isLine || !seen(fill))) losses.push('a mark of a chart is not seen: ' + nameOf(mark) + ' ' + stroke + ' ' + fill);
  }
  for (const text of all('.chart text')) {
    if (!seen(getComputedStyle(text).fill)) losses.push('a text of a chart is not seen: ' + nameOf(text));
  }
  for (const spinner of all('.spinner')) {
    const { borderTopColor, borderBottomColor } = getComputedStyle(spinner);
    if (borderTopColor === borderBottomColor) losses.push('a spinner does not turn');
  }
  return [...new Set(losses)];
}`;
