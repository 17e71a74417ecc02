import { html, type Html } from '../../kit/html';

/** A text of the document, whose words between backquotes are code. */
export function marked(text = ''): Html {
  return html`${text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}
