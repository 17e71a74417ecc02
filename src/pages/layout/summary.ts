import { Html } from '../../kit/html';

/**
 * The summaries of errors on a page get the labels of the fields here, once for all forms: a summary is written before the
 * fields of its form, and only the fields know their labels.
 */

/** A link of a summary to a field whose label is not known yet. */
const unnamedLink = /<a href="#(field-[\w-]*)"\s+data-unnamed>([^<]*)<\/a>/g;

/** Writes the label of each field before its error. A field that the page does not have gets no link. */
export function nameFields(content: Html): Html {
  if (!content.text.includes('data-unnamed')) return content;
  const labels = labelsIn(content.text);
  return new Html(
    content.text.replaceAll(unnamedLink, (_whole, id: string, text: string) => {
      const label = labels.get(id);
      if (label !== undefined) return `<a href="#${id}">${label === '' ? '' : `${label}: `}${text}</a>`;
      return content.text.includes(`id="${id}"`) ? `<a href="#${id}">${text}</a>` : text;
    }),
  );
}

const labelOfField = /<label[^>]*? for="(field-[\w-]+)"[^>]*>\s*([^<]*)/g;
const legendOfFields = /<fieldset[^>]*? id="(field-[\w-]+)"[^>]*>\s*<legend[^>]*>\s*([^<]*)/g;

/** The labels by the id of their field, as escaped texts. The first one counts, because a link leads there. */
function labelsIn(text: string): Map<string, string> {
  const labels = new Map<string, string>();
  for (const [, id = '', label = ''] of [...text.matchAll(labelOfField), ...text.matchAll(legendOfFields)])
    if (!labels.has(id)) labels.set(id, label.trim());
  return labels;
}
