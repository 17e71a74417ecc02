import { type Page } from 'playwright-core';

/**
 * A picture of a page as text: the places, sizes and styles of its parts. Pixels differ between machines, and these values
 * do not. A place is relative to its section, so that a change of one section leaves the others as they are.
 */

const parts = [
  ...['h2', 'h3', 'input', 'select', 'textarea', 'button', 'table', 'svg.chart', 'svg.spark'],
  ...['.card', '.alert', '.badge', '.button', '.choice', '.stat', '.pager', '.tabs', '.timeline', '.facts', '.chip'],
  ...[
    '.spinner',
    '.skeleton',
    '.sign',
    '.preview',
    '.complaint',
    '.hint',
    '.filters',
    '.divider',
    '.entries',
    '.empty',
    '.qr',
  ],
];

/** Each visible part of each section: its name, and its place and size in steps of four pixels. */
export const boxesOf = (page: Page): Promise<Record<string, string[]>> =>
  page.evaluate(`(${boxes})(${JSON.stringify(parts)})`);

/** The styles that the browser computes for the first element of each kind, such as `button.main disabled`. */
export const looksOf = (page: Page): Promise<Record<string, string>> =>
  page.evaluate(`(${looks})(${JSON.stringify(properties)})`);

const naming = `const nameOf = (element) =>
  [element.localName, ...element.classList].join('.') + (element.type && element.localName === 'input' ? ':' + element.type : '');
  const isShown = (element) => element.checkVisibility() && element.getClientRects().length > 0 && !element.matches('.visually-hidden');`;

/**
 * Runs in the browser. All texts get the typeface of the service and exact widths, because machines have different other
 * typefaces and hints. A part that turns would have another size at each look.
 */
const boxes = `async (parts) => {
  ${naming}
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules].map((rule) => ({ rule, base: sheet.href })));
  const { rule, base } = rules.find(({ rule }) => rule instanceof CSSFontFaceRule);
  const [, file] = /url\\("?([^")]+)/.exec(rule.style.getPropertyValue('src'));
  const face = new FontFace('Picture', 'url("' + new URL(file, base) + '")', { weight: '400 600' });
  document.fonts.add(await face.load());
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('*, ::before, ::after { font-family: Picture !important; text-rendering: geometricPrecision; }');
  document.adoptedStyleSheets = [sheet];
  for (const animation of document.getAnimations()) animation.cancel();
  const step = (value) => Math.round(value / 4) * 4;
  const found = {};
  for (const section of document.querySelectorAll('section[id]')) {
    const { top, left } = section.getBoundingClientRect();
    found[section.id] = [...section.querySelectorAll(parts.join(','))].filter(isShown).map((element) => {
      const box = element.getBoundingClientRect();
      return nameOf(element) + ' at ' + step(box.left - left) + ',' + step(box.top - top) + ' of ' + step(box.width) + '×' + step(box.height);
    });
  }
  return found;
}`;

/** What a rule of a style sheet sets, and no layout changes. */
const properties = [
  ...['color', 'background-color', 'border-top', 'border-bottom', 'border-inline-start', 'border-top-left-radius'],
  ...['padding', 'margin-top', 'box-shadow', 'opacity', 'font-size', 'font-weight', 'font-style', 'line-height'],
  ...[
    'letter-spacing',
    'text-align',
    'text-decoration-line',
    'white-space',
    'display',
    'position',
    'gap',
    'align-items',
  ],
  ...['justify-content', 'flex-wrap', 'cursor', 'list-style-type', 'stroke', 'fill'],
  ...['outline', 'outline-offset', 'text-decoration-color', 'filter'],
];

const looks = `(properties) => {
  ${naming}
  const states = { disabled: ':disabled', checked: ':checked', open: '[open]', wrong: '[aria-invalid=true]',
    current: '[aria-current]', sorted: '[aria-sort]' };
  const kindOf = (element) =>
    (element.localName === 'tr' ? element.parentElement.localName + ' ' : '') + nameOf(element) + Object.keys(states).filter((name) => element.matches(states[name])).map((name) => ' ' + name).join('');
  const plain = document.body.appendChild(document.createElement('div'));
  plain.style.all = 'initial';
  const initial = { ...Object.fromEntries(properties.map((name) => [name, getComputedStyle(plain).getPropertyValue(name)])) };
  plain.remove();
  // The colour of a line that is not drawn is that of the text.
  const isDrawn = (styles, name) =>
    (!name.startsWith('outline') || styles.outlineStyle !== 'none') &&
    (name !== 'text-decoration-color' || styles.textDecorationLine !== 'none');
  const found = {};
  for (const element of document.querySelectorAll('section[id] *')) {
    if (!isShown(element) || element.matches('option, script, style, svg *')) continue;
    const kind = kindOf(element);
    if (found[kind] !== undefined) continue;
    const styles = getComputedStyle(element);
    found[kind] = properties
      .filter((name) => isDrawn(styles, name))
      .map((name) => [name, styles.getPropertyValue(name)])
      .filter(([name, value]) => value !== initial[name])
      .map((pair) => pair.join(': '))
      .join('; ');
  }
  return found;
}`;
