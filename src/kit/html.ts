/** Text that is HTML already: what `html` made. */
export class Html {
  constructor(readonly text: string) {}
  toString(): string {
    return this.text;
  }
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** A template whose values are escaped, unless they are `Html` themselves. */
export function html(parts: TemplateStringsArray, ...values: (string | number | Html)[]): Html {
  const text = parts.reduce((before, part, index) => {
    const value = values[index - 1] ?? '';
    return before + (value instanceof Html ? value.text : escape(String(value))) + part;
  });
  return new Html(text);
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => escapes[character] ?? '');
}
