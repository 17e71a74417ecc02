import { html, type Html } from '../../kit/html';

/** A merchant's HTML, in a frame that has no access to the page. `address`: a page that is served with `isForeign`. */
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
