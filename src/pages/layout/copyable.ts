import { html, type Html, type Written } from '../../kit/html';
import { assetAddress } from './assets';
import { icon } from './icons';
import { type Texts } from './texts';

interface Copied {
  /** What is copied. */
  value: string;
  /** What the value is, for the name of the button. */
  name: string;
}

/** All codes in an element are copied, one on each line. */
interface CopiedCodes extends Pick<Copied, 'name'> {
  /** The id of the element. */
  codesOf: string;
}

/** A value with a button that copies it. `shown`: what is shown, if it differs from the value. */
export function copyable(texts: Texts, { shown, ...copied }: Copied & { shown?: Written }): Html {
  return html`<span class="copyable"
    ><code dir="ltr">${shown ?? copied.value}</code>${copyButton(texts, copied)}</span
  >`;
}

/**
 * A value in a row of a list, with a small button that copies it. The name of the button contains the value, because the list
 * has one in each row. `shown`: what is shown instead of the value, such as a link.
 */
export function copyableInRow(texts: Texts, { value, shown }: { value: string; shown?: Written }): Html {
  return html`<span class="copyable in-row"
    ><span>${shown ?? value}</span>${copyButton(texts, { value, name: value })}</span
  >`;
}

/**
 * The same for a value that is not shown, such as a long reference. `kind`: what it is, for the name of the button. A browser that
 * refuses the clipboard selects the hidden value.
 */
export function copyOnly(texts: Texts, { value, kind }: { value: string; kind: string }): Html {
  return html`<span class="copyable in-row"
    ><code class="visually-hidden" aria-hidden="true">${value}</code
    >${copyButton(texts, { value, name: `${kind} ${value}` })}</span
  >`;
}

/** A button that copies a text. It is hidden without a script. */
export function copyButton({ t }: Texts, copied: Copied | CopiedCodes): Html {
  const label = t('common.copy', { name: copied.name });
  const what =
    'value' in copied ? html`data-copy="${copied.value}"` : html`data-copy data-codes-of="${copied.codesOf}"`;
  return html`<button
      type="button"
      class="plain"
      hidden
      data-needs-script="${assetAddress('copy.js')}"
      ${what}
      data-copied="${t('common.copied')}"
      aria-label="${label}"
      title="${label}"
    >
      ${icon('copy')}${icon('check')}</button
    ><span aria-live="polite" class="visually-hidden"></span>`;
}
