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

/** A value with a button that copies it. `shown`: what is shown, if it differs from the value. */
export function copyable(texts: Texts, { shown, ...copied }: Copied & { shown?: Written }): Html {
  return html`<span class="copyable"
    ><code dir="ltr">${shown ?? copied.value}</code>${copyButton(texts, copied)}</span
  >`;
}

/** A button that copies a text. It is hidden without a script. */
export function copyButton({ t }: Texts, { value, name }: Copied): Html {
  const label = t('common.copy', { name });
  return html`<button
      type="button"
      class="plain"
      hidden
      data-needs-script="${assetAddress('copy.js')}"
      data-copy="${value}"
      data-copied="${t('common.copied')}"
      aria-label="${label}"
      title="${label}"
    >
      ${icon('copy')}${icon('check')}</button
    ><span aria-live="polite" class="visually-hidden"></span>`;
}
