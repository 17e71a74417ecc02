import { html, type Html, type Written } from '../../kit/html';
import { icon } from '../layout/icons';
import { type Texts } from '../layout/texts';
import { type Theme } from '../layout/theme';

/** The preview of an item before its purchase, in the merchant's branding. */

export interface Previewed {
  title: string;
  description: string;
  /** A URL, or empty. */
  picture: string;
  minAge?: number | undefined;
  /** What a buyer may rely on. */
  promises?: Written;
}

/** The brand's colour stands in the place of a missing picture. */
const drawnCover = html`<div class="cover drawn" aria-hidden="true"></div>`;

export function previewCard({ t }: Texts, { hasTopLine, template }: Theme, item: Previewed): Html {
  const { title, description, picture, minAge, promises } = item;
  return html`<section class="card preview template-${template}${hasTopLine ? ' lined' : ''}">
    ${picture === '' ? drawnCover : html`<img class="cover" src="${picture}" alt="" />`}
    <div class="tight">
      <h1><bdi>${title}</bdi></h1>
      ${description === '' ? '' : html`<p class="lead"><bdi>${description}</bdi></p>`}
      ${
        minAge === undefined ? '' : html`<p><span class="badge warn">${t('paywall.minAge', { age: minAge })}</span></p>`
      }
      ${promises}
    </div>
  </section>`;
}

/** The label "protected content", if the brand shows it. */
export function protectedLabel({ t }: Texts, { showsProtectedLabel }: Theme): Html {
  if (!showsProtectedLabel) return html``;
  return html`<p class="protected quiet small">${icon('lock')} ${t('paywall.protected')}</p>`;
}
