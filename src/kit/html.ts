/** Text that is HTML already: the result of `html`. */
export class Html {
  constructor(readonly text: string) {}
  toString(): string {
    return this.text;
  }
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/**
 * The values of a template. A list becomes the sequence of its members. `false` and `undefined` become an empty text.
 */
export type Written = string | number | Html | false | undefined | readonly Written[];

/** A template that escapes its values, except values of the type `Html`. */
export function html(parts: TemplateStringsArray, ...values: Written[]): Html {
  const text = parts.reduce((before, part, index) => before + write(values[index - 1]) + part);
  return new Html(text);
}

function write(value: Written): string {
  if (value === undefined || value === false) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(write).join('');
  return escape(String(value));
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => escapes[character] ?? '');
}
