import { html, type Html } from '../../kit/html';
import { type Texts } from '../layout/texts';
import { type Theme } from '../layout/theme';

/** The preview of an item before its purchase, in the merchant's branding. */

export interface Previewed {
  title: string;
  description: string;
  /** A URL, or empty. */
  picture: string;
  minAge?: number | undefined;
}

export function previewCard({ t }: Texts, { hasTopLine, template }: Theme, item: Previewed): Html {
  const { title, description, picture, minAge } = item;
  return html`<section class="card preview template-${template}${hasTopLine ? ' lined' : ''}">
    ${picture === '' ? '' : html`<img class="cover" src="${picture}" alt="" />`}
    <div class="tight">
      <h1><bdi>${title}</bdi></h1>
      ${description === '' ? '' : html`<p class="quiet"><bdi>${description}</bdi></p>`}
      ${
        minAge === undefined ? '' : html`<p><span class="badge warn">${t('paywall.minAge', { age: minAge })}</span></p>`
      }
    </div>
  </section>`;
}

/** The label "protected content", if the brand shows it. */
export function protectedLabel({ t }: Texts, { showsProtectedLabel }: Theme): Html {
  if (!showsProtectedLabel) return html``;
  return html`<p class="protected quiet small">
    <svg viewBox="0 0 16 16" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.5">
      <rect x="3" y="7" width="10" height="7" rx="1.5" />
      <path d="M5 7V5a3 3 0 0 1 6 0v2" />
    </svg>
    ${t('paywall.protected')}
  </p>`;
}
