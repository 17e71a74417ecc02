import fc from 'fast-check';
import { sanitizeHtml, textOfHtml } from '../../src/adapters/html';

test.each([
  ['a script', '<p>a<script>alert(1)</script></p>', '<p>a</p>'],
  ['an event handler', '<p onmouseover=alert(1)>a</p>', '<p>a</p>'],
  ['a style', '<p style="position:fixed;inset:0" class="c" id="i">a</p>', '<p>a</p>'],
  ['a style sheet', '<style>*{display:none}</style>a', 'a'],
  ['a javascript: address', '<a href="javascript:alert(1)">a</a>', '<a>a</a>'],
  ['a hidden javascript: address', '<a href=" java\tscript:alert(1)">a</a>', '<a>a</a>'],
  ['an encoded javascript: address', '<a href="&#106;avascript:alert(1)">a</a>', '<a>a</a>'],
  ['a data: address', '<a href="data:text/html,<script>alert(1)</script>">a</a>', '<a>a</a>'],
  ['a frame', '<iframe src="https://evil.example">a</iframe>', 'a'],
  ['a form', '<form action="https://evil.example"><input name="number" /><button>Pay</button></form>', 'Pay'],
  ['a drawing', '<svg onload=alert(1)><script>alert(1)</script><a href="#">a</a></svg>', '<a>a</a>'],
  ['a drawing around paragraphs', '<p><svg><p>a', '<p></p><p>a</p><p></p>'],
  ['a picture that is loaded in the open', '<img src="http://cdn.example.org/a.png">a', 'a'],
  ['a picture from nowhere', '<img src=x onerror=alert(1)>a', 'a'],
  ['a relative address', '<a href="/terms">a</a> <a href="//evil.example">b</a>', '<a>a</a> <a>b</a>'],
  ['a base and a refresh', '<base href="https://evil.example"><meta http-equiv="refresh" content="0">a', 'a'],
  ['half of a tag', '<p>a<b onclick=alert(1)', '<p>a</p>'],
  ['a comment', '<!--[if mso]><script>alert(1)</script><![endif]-->a', 'a'],
])('%s is left out', (_what, html, clean) => {
  expect(sanitizeHtml(html)).toBe(clean);
});

test('links, pictures and simple marks stay; a link’s page cannot reach back', () => {
  expect(
    sanitizeHtml('<p>© <b>Cup</b> &amp; Co <img src="https://cdn.example.org/a.png" alt="A" width="20" /></p>'),
  ).toBe('<p>© <b>Cup</b> &amp; Co <img src="https://cdn.example.org/a.png" alt="A" width="20" /></p>');
  expect(sanitizeHtml('<a href="https://example.org" target="_top" rel="opener">a</a>')).toBe(
    '<a href="https://example.org" target="_blank" rel="noopener noreferrer">a</a>',
  );
});

const harmlessTag =
  /<\/?(?:p|div|span|br|hr|h[2-4]|blockquote|[uo]l|li|a|abbr|b|em|i|s|small|strong|su[bp]|u|img)(?: (?:href|title|target|rel|src|alt|width|height)(?:="")?)*(?: \/)?>/g;

/** An attribute in a tag. The same letters in a text are harmless. */
const addressInTag = /<\w+(?: [a-z]+="[^"]*")*? (?:href|src)="([^"]*)"/g;

const pieces = fc.constantFrom(
  ...['<p>', '</p>', '<a href="', '">', '<script>', '</script>', 'javascript:', 'https://a.example', '<img src=', ' '],
  ...[
    'onerror=',
    '&lt;',
    '&#x3c;',
    '&',
    '"',
    "'",
    '>',
    '<',
    '<svg>',
    '<style>',
    '<!--',
    '-->',
    'text',
    '<b',
    '\0',
    '`',
  ],
);

test('whatever is sent, nothing active is left, and sanitising again changes nothing', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(pieces, fc.string({ maxLength: 5 })), { maxLength: 25 }), (parts) => {
      const clean = sanitizeHtml(parts.join(''));
      expect(sanitizeHtml(clean)).toBe(clean);
      expect(clean.replaceAll(/"[^"]*"/g, '""').replaceAll(harmlessTag, '')).not.toContain('<');
      for (const [, address] of clean.matchAll(addressInTag)) expect(address).toMatch(/^(?:https?|mailto|tel):/i);
    }),
    { numRuns: 2_000, examples: [[['</', '<a href="', '"']]] },
  );
});

test('as text: a block a line, without marks', () => {
  const html = '<p>Cup &amp; Co<br>Main St</p><ul><li>a &lt; b</li><li><a href="https://a.example">c</a></li></ul>';
  expect(textOfHtml(html)).toBe('Cup & Co\nMain St\na < b\nc (https://a.example)');
});
