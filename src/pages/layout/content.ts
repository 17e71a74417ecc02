import { html, type Html } from '../../kit/html';
import { type Visit } from '../../kit/pages/page';
import { wholePage } from './page';
import { textsFor } from './texts';

/**
 * A merchant's HTML, in a frame that has no access to the page. `address`: the address of a page with `isForFrames`.
 */
export function contentFrame({ address, title, isLazy }: { address: string; title: string; isLazy?: true }): Html {
  return html`<iframe
    class="content-frame"
    src="${address}"
    title="${title}"
    sandbox="allow-scripts allow-popups allow-popups-to-escape-sandbox allow-forms allow-presentation"
    ${isLazy && html`loading="lazy"`}
    allow="autoplay; fullscreen; encrypted-media; picture-in-picture"
    allowfullscreen
    referrerpolicy="same-origin"
  ></iframe>`;
}

/**
 * Our page around a merchant's HTML, for a visitor who opens the address of the HTML. A notice names the merchant as
 * its author.
 */
export function foreignPage(visit: Visit, address: string): Html {
  const { t } = textsFor(visit);
  const title = t('common.foreignTitle');
  const content = html`<section class="stack">
    <div class="alert" role="note"><p>${t('common.foreignNotice')}</p></div>
    ${contentFrame({ address, title })}
  </section>`;
  return wholePage(visit, { title }, content);
}
